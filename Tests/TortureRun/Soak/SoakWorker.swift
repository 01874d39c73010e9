import Cadastre
import CadastreStore
import CadastreTestSupport
import Foundation

/// One of the processes that use a store at the same time, until it is killed.
enum SoakWorker {
  /// What a process does.
  enum Role: String, CaseIterable {
    /// Commits, and acknowledges each commit.
    case writer
    /// The same, with a disk that is full at times and a clock that jumps; failed commits are repeated.
    case faultyWriter
    /// Keeps old versions open, and compares each with itself.
    case longReader
    /// Moves to each version, and checks it.
    case reader
    /// Compacts the store, and copies it; checks each copy.
    case keeper
  }

  static func main(_ arguments: [String]) throws {
    guard arguments.count == 4, let role = Role(rawValue: arguments[0]),
      let number = Int(arguments[2]), let seed = UInt64(arguments[3])
    else { throw Failure("a worker needs a role, a store, its number and a seed") }
    Logger.shared = Logger { _, _, _ in }
    var random = SeededGenerator(seed: seed)
    let path = arguments[1]
    let configuration = SoakWorkload.configuration(path)
    let realm = try opened(configuration, mayFail: role == .faultyWriter)
    while true {
      switch role {
      case .writer, .faultyWriter:
        do {
          acknowledge(try SoakWorkload.next(number, realm))
        } catch  where role == .faultyWriter {
          usleep(20_000)
        }
        usleep(UInt32(random.below(5000)))
      case .reader:
        realm.refresh()
        try check(realm)
        acknowledge(1)
        usleep(UInt32(random.below(50_000)))
      case .longReader:
        realm.refresh()
        let frozen = realm.freeze()
        let before = frozen.objects(SoakNote.self).values(of: \.commit)
        usleep(UInt32(random.below(1_000_000)))
        guard frozen.objects(SoakNote.self).values(of: \.commit) == before else {
          throw Failure("a frozen version has changed")
        }
        try check(frozen)
        acknowledge(1)
      case .keeper:
        usleep(UInt32(random.below(1_000_000)))
        // A Realm that stays at its version keeps the log from starting again.
        realm.refresh()
        if random.oneIn(2) {
          try Realm.compact(for: configuration)
        } else {
          let folder = path + ".copy\(UUID())"
          defer { try? FileManager.default.removeItem(atPath: folder) }
          try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
          let copy = folder + "/copy.cadastre"
          try realm.writeCopy(toFile: URL(fileURLWithPath: copy))
          try requireClean(copy)
        }
        acknowledge(1)
      }
    }
  }

  /// The disk may be full when a process starts.
  private static func opened(_ configuration: Realm.Configuration, mayFail: Bool) throws -> Realm {
    while true {
      do { return try Realm(configuration: configuration) } catch  where mayFail { usleep(20_000) }
    }
  }

  /// Throws where the notes of a writer are not those of its commits.
  private static func check(_ realm: Realm) throws {
    for counter in realm.objects(SoakCounter.self) {
      if let fault = SoakWorkload.fault(counter.writer, realm).fault { throw Failure(fault) }
    }
  }

  /// Throws where a check of a store finds problems.
  static func requireClean(_ path: String) throws {
    let problems = try StoreCheck(OpenStores.store(at: path).snapshot()).problems()
    guard problems.isEmpty else { throw Failure(problems.joined(separator: "; ")) }
  }

  private static func acknowledge(_ number: Int) {
    withUnsafeBytes(of: Int64(number)) { bytes in
      // A failed write means that the parent is about to kill this process.
      _ = write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
