import Foundation
import FuzzingDriver

/// A file that holds one text after the other; in memory where the system has a place for that.
final class FuzzedFile {
  let path: String
  private let descriptor: Int32

  /// Makes an empty file.
  init() {
    let memory = "/dev/shm"
    let folder =
      FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    path = "\(folder)/cadastre-fuzzed-\(getpid())"
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    if descriptor < 0 { stop("\(path) cannot be written") }
  }

  /// Replaces what the file holds.
  func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard ftruncate(descriptor, 0) == 0,
      pwrite(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count
    else { stop("\(path) cannot be written") }
  }

  /// Takes the file away.
  func remove() {
    unlink(path)
  }
}
