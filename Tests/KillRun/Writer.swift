import Cadastre
import CadastreTestSupport
import Foundation

/// The program that commits again and again, until it is killed.
enum Writer {
  /// Writes each commit's number to standard output once it is made.
  ///
  /// The victim compacts the store now and then; the companion looks at what the victim has left.
  static func run(_ path: String, _ writer: Int, seed: UInt64) throws -> Never {
    var random = SeededGenerator(seed: seed)
    let configuration = Deeds.configuration(path)
    let realm = try Realm(configuration: configuration)
    while true {
      acknowledge(try Deeds.next(writer, realm))
      if writer == Deeds.victim {
        if random.oneIn(12) { try Realm.compact(for: configuration) }
      } else {
        realm.refresh()
        if random.oneIn(10), let fault = Deeds.fault(Deeds.victim, realm).fault {
          throw Failure(fault)
        }
        usleep(UInt32(random.below(10_000)))
      }
    }
  }

  private static func acknowledge(_ deed: Int) {
    withUnsafeBytes(of: Int64(deed)) { bytes in
      // Whoever listens no longer has killed this process, or will.
      _ = write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}

/// Why a run has failed.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
