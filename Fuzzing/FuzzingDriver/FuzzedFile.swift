import Foundation

/// A file whose content is replaced for each input; in `/dev/shm` if that is writable.
package final class FuzzedFile {
  /// The path of the file.
  package let path: String
  private let descriptor: Int32

  /// Creates an empty file.
  package init() {
    let memory = "/dev/shm"
    let folder =
      FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    path = "\(folder)/cadastre-fuzzed-\(getpid())"
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    if descriptor < 0 { stop("\(path) cannot be written") }
  }

  /// Replaces the content of the file.
  package func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard ftruncate(descriptor, 0) == 0,
      pwrite(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count
    else { stop("\(path) cannot be written") }
  }

  /// Deletes the file.
  package func remove() {
    unlink(path)
  }
}
