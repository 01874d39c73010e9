import Foundation

/// A version that some process has acknowledged, in a file of all processes: a later reader must see it, or a
/// newer one.
///
/// Where two writers note theirs at once, it may be lower than the newest acknowledged version, never higher.
final class NewestVersion: Sendable {
  private let file: Int32

  init(_ path: String) throws {
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure("cannot create \(path)") }
  }

  deinit { close(file) }

  /// Notes a version after its commit.
  func note(_ version: Int) {
    withUnsafeBytes(of: Int64(version)) { _ = pwrite(file, $0.baseAddress, $0.count, 0) }
  }

  /// The version; 0 where none was noted.
  var value: Int {
    var version: Int64 = 0
    withUnsafeMutableBytes(of: &version) { _ = pread(file, $0.baseAddress, $0.count, 0) }
    return Int(version)
  }
}
