package import CadastreStore
import Foundation

/// A file that gets its name when it is whole.
///
/// It is written beside its place, under a name that ends in `.partial`; what is not finished is removed. What is
/// there and is no file, a pipe for instance, is written to as it is.
package final class ExportedFile {
  private let path: String
  /// The name it is written under; nil where that is its own.
  private var partialPath: String?
  private let isReplacing: Bool
  private let gzip: GzipWriter?
  private let descriptor: Int32

  /// Starts a file.
  ///
  /// - Parameters:
  ///   - path: Where it is to be; what ends in `.gz` is packed.
  ///   - isReplacing: Whether a file that is there goes once this one is finished.
  /// - Throws: ``StoreError`` when a file is there already, or cannot be made.
  package init(path: String, isReplacing: Bool) throws(StoreError) {
    var status = stat()
    let isThere = stat(path, &status) == 0
    let kind = status.st_mode & S_IFMT
    guard !isThere || kind != S_IFDIR else { throw StoreError(.isDirectory, path: path) }
    guard !isThere || kind != S_IFREG || isReplacing else {
      throw StoreError(.fileExists, path: path)
    }
    self.path = path
    self.isReplacing = isReplacing
    gzip = path.hasSuffix(".gz") ? GzipWriter() : nil
    partialPath = isThere && kind != S_IFREG ? nil : path + ".partial"
    let name = partialPath ?? path
    descriptor = open(
      name, O_WRONLY | O_CLOEXEC | (partialPath == nil ? 0 : O_CREAT | O_TRUNC), 0o666)
    guard descriptor >= 0 else {
      partialPath = nil
      throw Self.failure(path)
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if let partialPath { unlink(partialPath) }
  }

  /// Adds bytes.
  package func write(_ bytes: [UInt8]) throws(StoreError) {
    try put(gzip?.packed(bytes) ?? bytes)
  }

  /// Writes what is left and gives the file its name.
  package func finish() throws(StoreError) {
    if let gzip { try put(gzip.packed([], isLast: true)) }
    guard let partialPath else { return }
    try FinishedFile.publish(partialPath, as: path, isReplacing: isReplacing)
    unlink(partialPath)
    self.partialPath = nil
  }

  private func put(_ bytes: [UInt8]) throws(StoreError) {
    guard WholeWrite.write(bytes, to: descriptor) else { throw Self.failure(path) }
  }

  private static func failure(_ path: String) -> StoreError {
    errno == ENOSPC
      ? StoreError(.diskFull, path: path)
      : StoreError(.fileOperationFailed(String(cString: strerror(errno))), path: path)
  }
}

// Not Sendable: every piece moves the place in the file.
@available(*, unavailable)
extension ExportedFile: Sendable {}

/// Writing all of some bytes, however many calls that takes.
package enum WholeWrite {
  /// Writes bytes to an open file; false where the system refuses, for the reason in `errno`.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = Foundation.write(
          descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }
}
