import CadastreModel
import Foundation
import Synchronization

/// Receives messages of the library about stores, transactions, queries and errors.
///
///     Logger.shared = Logger(level: .debug) { level, message in log("\(level): \(message)") }
///
/// The first ``shared`` logger writes messages up to ``LogLevel/info`` to standard error. A message
/// contains the text of predicates and their constants, but no other data.
public final class Logger: Sendable {
  /// Receives one message, on any thread.
  public typealias Function = @Sendable (LogLevel, LogCategory, String) -> Void

  private let levels: Guarded<[LogCategory: LogLevel]>
  private let function: Function

  /// Creates a logger of messages up to ``LogLevel/info``.
  ///
  /// - Parameter function: Receives the messages.
  public init(function: @escaping Function) {
    levels = Guarded(Self.levels(.info))
    self.function = function
  }

  /// Creates a logger.
  ///
  /// - Parameters:
  ///   - level: The level up to which messages are logged.
  ///   - logFunction: Receives the messages, on any thread.
  public init(level: LogLevel, logFunction: @escaping @Sendable (LogLevel, String) -> Void) {
    levels = Guarded(Self.levels(level))
    function = { level, _, message in logFunction(level, message) }
  }

  private static func levels(_ level: LogLevel) -> [LogCategory: LogLevel] {
    Dictionary(uniqueKeysWithValues: LogCategory.allCases.map { ($0, level) })
  }

  // MARK: The logger of the process

  private static let standard = Logger { _, _, message in
    FileHandle.standardError.write(Data("Cadastre: \(message)\n".utf8))
  }
  private static let current = Guarded(standard)
  /// The most detailed level of the shared logger in any category.
  ///
  /// A message of a more detailed level costs one atomic load.
  private static let threshold = Atomic<Int>(LogLevel.info.rawValue)

  /// The logger of the process.
  public static var shared: Logger {
    get { current.withLock { $0 } }
    set {
      current.withLock { $0 = newValue }
      updateThreshold()
    }
  }

  private static func updateThreshold() {
    let most = shared.levels.withLock { $0.values.max() } ?? .off
    threshold.store(most.rawValue, ordering: .relaxed)
  }

  /// Sets the level of the shared logger.
  ///
  /// - Parameters:
  ///   - level: The level.
  ///   - category: The category, with its subcategories; by default all.
  public static func setLogLevel(_ level: LogLevel, for category: LogCategory = .realm) {
    shared.setLevel(level, for: category)
  }

  /// Returns the level of the shared logger for a category.
  public static func logLevel(for category: LogCategory = .realm) -> LogLevel {
    shared.level(for: category)
  }

  // MARK: Levels

  /// The level of the logger; setting it applies to all categories.
  public var level: LogLevel {
    get { level(for: .realm) }
    set { setLevel(newValue, for: .realm) }
  }

  private func level(for category: LogCategory) -> LogLevel {
    levels.withLock { $0[category] ?? .off }
  }

  private func setLevel(_ level: LogLevel, for category: LogCategory) {
    levels.withLock { levels in
      for member in category.members { levels[member] = level }
    }
    Self.updateThreshold()
  }

  // MARK: Messages

  /// Logs a message, if the logger's level includes its level.
  ///
  /// - Parameters:
  ///   - level: The severity.
  ///   - category: The subject.
  ///   - message: The message.
  public func log(level: LogLevel, category: LogCategory = .realm, message: String) {
    guard level != .off, level <= self.level(for: category) else { return }
    function(level, category, message)
  }

  /// Logs a message of the library; the text is evaluated only if it is logged.
  static func write(
    _ level: LogLevel, _ category: LogCategory, _ message: @autoclosure () -> String
  ) {
    guard logs(level) else { return }
    let logger = shared
    guard level <= logger.level(for: category) else { return }
    logger.function(level, category, message())
  }

  /// Logs the message of a programming error, which standard error has already received.
  static func writeFatal(_ sentence: String) {
    let logger = shared
    if logger !== standard { logger.log(level: .fatal, category: .sdk, message: sentence) }
  }

  /// Returns whether messages of a level are logged in any category.
  private static func logs(_ level: LogLevel) -> Bool {
    level.rawValue <= threshold.load(ordering: .relaxed)
  }

  /// Runs an operation, and logs a message with its result and duration.
  static func measured<Result>(
    _ category: LogCategory, _ operation: () throws -> Result, _ message: (Result) -> String
  ) rethrows -> Result {
    guard logs(.debug) else { return try operation() }
    let start = ContinuousClock.now
    let result = try operation()
    let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
    let duration = String(format: "%.3f", milliseconds)
    write(.debug, category, "\(message(result)), \(duration) ms")
    return result
  }
}

/// The severity of a message, and the threshold of a logger.
public enum LogLevel: Int, Hashable, Sendable, CaseIterable, Comparable {
  /// No messages.
  case off = 0
  /// A programming error that stops the process.
  case fatal
  /// An error of a function that cannot throw.
  case error
  /// A problem that does not stop the operation.
  case warn
  /// Migrations.
  case info
  /// Opened and compacted stores.
  case detail
  /// Commits and queries, with their duration.
  case debug
  /// Deliveries of notifications.
  case trace
  /// All messages.
  case all

  /// Orders levels from few messages to many.
  public static func < (first: LogLevel, second: LogLevel) -> Bool {
    first.rawValue < second.rawValue
  }
}

/// The subject of a message.
///
/// The raw values include the parent categories: ``storage`` includes ``transaction``, and ``realm`` includes
/// all.
public enum LogCategory: String, Hashable, Sendable, CaseIterable {
  /// All messages.
  case realm = "Realm"
  /// Files, and the categories below.
  case storage = "Realm.Storage"
  /// Commits and rollbacks.
  case transaction = "Realm.Storage.Transaction"
  /// Queries.
  case query = "Realm.Storage.Query"
  /// Objects and their schema.
  case object = "Realm.Storage.Object"
  /// Notifications.
  case notification = "Realm.Storage.Notification"
  /// The use of the library by the program.
  case sdk = "Realm.SDK"

  /// This category and its subcategories.
  var members: [LogCategory] {
    Self.allCases.filter { $0 == self || $0.rawValue.hasPrefix(rawValue + ".") }
  }
}
