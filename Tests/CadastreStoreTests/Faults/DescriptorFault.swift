import CadastreSQLite
import Foundation

@testable import CadastreStore

/// Makes this process's reads or writes of one file fail with an error of the system, until it is ended.
///
/// Each descriptor of the file is replaced by one that was opened for the other direction only.
final class DescriptorFault {
  enum Direction { case reading, writing }

  private var replaced: [(descriptor: Int32, original: Int32)] = []

  /// Breaks all descriptors that the process has open for a file.
  init(_ direction: Direction, of path: String) throws {
    let identity = FileIdentity(path: path)
    let broken = open(path, direction == .reading ? O_WRONLY : O_RDONLY)
    guard identity != nil, broken >= 0 else { throw CocoaError(.fileNoSuchFile) }
    defer { close(broken) }
    // Tests that run at the same time have many files open, so that numbers can be large.
    let names = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd")
    let descriptors = names.compactMap(Int32.init).filter {
      $0 > 2 && $0 != broken && FileIdentity(descriptor: $0) == identity
    }
    for descriptor in descriptors {
      replaced.append((descriptor, dup(descriptor)))
      dup2(broken, descriptor)
    }
  }

  deinit { end() }

  /// Restores the descriptors.
  func end() {
    for (descriptor, original) in replaced {
      dup2(original, descriptor)
      close(original)
    }
    replaced = []
  }
}
