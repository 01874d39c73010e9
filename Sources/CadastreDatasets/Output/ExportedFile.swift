package import CadastreStore
import Foundation

/// An output file that gets its final name when it is complete.
///
/// Until then it has the extension `.partial`, and it is removed if it is not finished. An existing
/// path that is no regular file, for example a pipe, is written to directly.
package final class ExportedFile {
  private let path: String
  /// The temporary path; nil if the final path is written to directly.
  private var partialPath: String?
  private let isReplacing: Bool
  private let gzip: GzipWriter?
  private let descriptor: Int32

  /// Creates a file.
  ///
  /// - Parameters:
  ///   - path: The final path; the extension `.gz` means compression.
  ///   - isReplacing: Whether an existing file may be replaced when this one is finished.
  /// - Throws: ``StoreError`` if a file exists already or cannot be created.
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

  /// Appends bytes.
  package func write(_ bytes: [UInt8]) throws(StoreError) {
    try put(gzip?.compressed(bytes) ?? bytes)
  }

  /// Writes the end of the compressed data and renames the file.
  package func finish() throws(StoreError) {
    if let gzip { try put(gzip.compressed([], isLast: true)) }
    guard let partialPath else { return }
    try FinishedFile.publish(partialPath, as: path, isReplacing: isReplacing)
    unlink(partialPath)
    self.partialPath = nil
  }

  private func put(_ bytes: [UInt8]) throws(StoreError) {
    guard CompleteWrite.write(bytes, to: descriptor) else { throw Self.failure(path) }
  }

  private static func failure(_ path: String) -> StoreError {
    errno == ENOSPC
      ? StoreError(.diskFull, path: path)
      : StoreError(.fileOperationFailed(String(cString: strerror(errno))), path: path)
  }
}

// Not Sendable: every write moves the position in the file.
@available(*, unavailable)
extension ExportedFile: Sendable {}

/// Writing of all bytes, with as many system calls as needed.
package enum CompleteWrite {
  /// Writes bytes to an open file; returns false after an error, which is in `errno`.
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
