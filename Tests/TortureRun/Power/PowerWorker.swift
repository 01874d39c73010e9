import Cadastre
import CadastreTestSupport
import Foundation

/// A process that commits while the interposer records all changes of its files.
enum PowerWorker {
  private typealias Mark = @convention(c) (Int64) -> Void

  /// The mark of a finished copy of the store in the record.
  static let copyMark = 1_000_000

  /// Commits a number of times, and marks each commit in the record when it is acknowledged.
  ///
  /// The process sometimes closes the store, compacts it, copies it, or keeps an old version open.
  static func main(_ arguments: [String]) throws {
    guard arguments.count == 3, let commits = Int(arguments[1]), let seed = UInt64(arguments[2])
    else { throw Failure("a worker needs a folder, a number of commits and a seed") }
    guard let symbol = dlsym(nil, "cadastre_torture_mark") else {
      throw Failure("the interposer is not loaded")
    }
    let mark = unsafeBitCast(symbol, to: Mark.self)
    Logger.shared = Logger { _, _, _ in }
    var random = SeededGenerator(seed: seed)
    let configuration = Workload.configuration(arguments[0] + "/store.cadastre")
    var (done, copies) = (0, 0)
    while done < commits {
      let realm = try Realm(configuration: configuration)
      var old: Realm?
      repeat {
        done = try Workload.next(Workload.victim, realm)
        mark(Int64(done))
        switch random.below(24) {
        case 0: try Realm.compact(for: configuration)
        case 1:
          copies += 1
          try realm.writeCopy(
            toFile: URL(fileURLWithPath: arguments[0] + "/copy\(copies).cadastre"))
          mark(Int64(copyMark + copies))
        case 2...4: old = realm.freeze()
        case 5...6: old = nil
        default: break
        }
      } while done < commits && !random.oneIn(10)
      withExtendedLifetime(old) {}
    }
  }
}
