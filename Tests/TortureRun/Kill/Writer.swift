import Cadastre
import CadastreTestSupport
import Foundation

/// The process that commits repeatedly until it is killed.
enum Writer {
  /// Commits, and writes the number of each commit to standard output after it.
  ///
  /// The victim sometimes compacts the store; the companion sometimes checks the victim's commits.
  static func run(_ path: String, _ writer: Int, seed: UInt64) throws -> Never {
    var random = SeededGenerator(seed: seed)
    let configuration = Workload.configuration(path)
    let realm = try Realm(configuration: configuration)
    while true {
      acknowledge(try Workload.next(writer, realm))
      if writer == Workload.victim {
        if random.oneIn(12) { try Realm.compact(for: configuration) }
      } else {
        realm.refresh()
        if random.oneIn(10), let fault = Workload.fault(Workload.victim, realm).fault {
          throw Failure(fault)
        }
        usleep(UInt32(random.below(10_000)))
      }
    }
  }

  private static func acknowledge(_ commit: Int) {
    withUnsafeBytes(of: Int64(commit)) { bytes in
      // A failed write means that the parent is about to kill this process.
      _ = write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
