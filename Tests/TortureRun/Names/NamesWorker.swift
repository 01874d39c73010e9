import Cadastre
import Foundation

/// A process that uses a store by one of its names, see ``NamesCampaign``.
///
/// Its log has a line for each acknowledged commit, and one for an error of the store, which ends it with the status
/// ``refused``.
struct NamesWorker: Sendable {
  /// How a process uses the store.
  enum Style: String {
    /// A number of commits with one Realm.
    case hold
    /// A number of commits, each with a Realm of its own.
    case open
    /// Commits with one Realm until standard input is closed.
    case serve
    /// Waits for the commits of another writer, whose number is that of the writer.
    case watch
    /// Commits by two names in turn, with a Realm of each that stays open.
    case both
  }

  /// The exit status after an error of the store.
  static let refused: Int32 = 3

  private let log: EventLog
  private let style: Style
  private let writer: Int
  private let count: Int
  private let configurations: [Realm.Configuration]

  /// The arguments of a process after the name of its role.
  ///
  /// - Parameters:
  ///   - log: The path of its log.
  ///   - style: What it does.
  ///   - writer: The number of the writer in the store.
  ///   - count: The number of commits.
  ///   - names: The names by which it opens the store.
  /// - Returns: The arguments.
  static func arguments(
    _ log: String, _ style: Style, _ writer: Int, _ count: Int, _ names: [String]
  ) -> [String] {
    ["names-worker", log, style.rawValue, "\(writer)", "\(count)"] + names
  }

  static func main(_ arguments: [String]) throws {
    guard arguments.count > 4, let style = Style(rawValue: arguments[1]),
      let writer = Int(arguments[2]), let count = Int(arguments[3])
    else { throw Failure("a worker needs a log, a style, a writer, a number and names of a store") }
    Logger.shared = Logger { _, _, _ in }
    let log = try EventLog(arguments[0])
    let configurations = arguments[4...].map { name in
      var configuration = SoakWorkload.configuration(name)
      configuration.readErrorHandler = { end(log, $0) }
      return configuration
    }
    NamesWorker(
      log: log, style: style, writer: writer, count: count, configurations: configurations
    ).run()
    // The connections of a released Realm close in the background; another process may keep the log.
    let store = arguments[4]
    for _ in 0..<100 where FileManager.default.fileExists(atPath: store + "-wal") { usleep(10_000) }
  }

  private static func end(_ log: EventLog, _ error: any Error) -> Never {
    log.note("error \(error)")
    _exit(refused)
  }

  private func run() {
    do {
      switch style {
      case .hold:
        let realm = try Realm(configuration: configurations[0])
        for _ in 0..<count { try commit(realm) }
      case .open:
        for _ in 0..<count { try commit(Realm(configuration: configurations[0])) }
      case .serve: try serve()
      case .watch: watch()
      case .both:
        let realms = try configurations.map { try Realm(configuration: $0) }
        for number in 0..<count { try commit(realms[number % realms.count]) }
      }
    } catch {
      Self.end(log, error)
    }
  }

  private func commit(_ realm: Realm) throws {
    let commit = try SoakWorkload.next(writer, realm)
    log.note("committed \(commit)")
  }

  private func serve() throws {
    let realm = try Realm(configuration: configurations[0])
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    while poll(&input, 1, 2) == 0 { try commit(realm) }
  }

  private func watch() -> Never {
    Task.detached {
      do {
        let realm = try Realm(configuration: configurations[0])
        for await _ in realm.objects(SoakCounter.self).changes() {
          log.note("notified")
          let counter = realm.object(ofType: SoakCounter.self, forPrimaryKey: writer)
          if let counter, counter.last >= count { _exit(0) }
        }
        throw Failure("the changes have ended")
      } catch {
        Self.end(log, error)
      }
    }
    while true { sleep(3600) }
  }
}
