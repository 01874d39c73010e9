import CadastreStore
import Foundation

/// An output file that gets its final name when it is complete.
///
///     let file = try OutputFile(path: "a.csv", OutputRules(replacing: .none, stores: [store]))
///     try file.write(bytes)
///     try file.finish()
///
/// Until then it has a temporary name, and it is removed if it is not finished. A pipe or character
/// device is written to directly.
package final class OutputFile {
  /// The final path.
  package let path: String
  /// The path of the incomplete file; nil for a pipe or device.
  let partialPath: String?
  private let rules: OutputRules
  private let isReplacing: Bool
  private let compressor: (any Compressor)?
  private let descriptor: Int32
  private var isFinished = false

  /// The compression of a file.
  package enum Compression {
    case none, gzip
    /// A zip archive with a file `doc.kml`.
    case kmz
  }

  /// Creates a file.
  ///
  /// - Parameters:
  ///   - path: The final path.
  ///   - rules: Which files must not be replaced.
  ///   - compression: The compression.
  /// - Throws: ``OutputError`` if the path must not or cannot be written.
  package init(
    path: String, _ rules: OutputRules, compression: Compression = .none
  ) throws(OutputError) {
    self.path = path
    self.rules = rules
    compressor =
      switch compression {
      case .none: nil
      case .gzip: Deflater(windowBits: Deflater.gzipBits)
      case .kmz: ZipWriter(fileName: "doc.kml")
      }
    guard compression == .none || compressor != nil else {
      throw OutputError(systemError: ENOMEM, path: path)
    }
    switch try rules.target(path) {
    case .stream:
      partialPath = nil
      isReplacing = false
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw OutputError(systemError: errno, path: path) }
    case .file(let isReplacing):
      let partialPath = PartialOutput.path(of: path)
      self.partialPath = partialPath
      self.isReplacing = isReplacing
      descriptor = try PartialOutput.create(.file, partialPath, for: path)
    }
  }

  deinit {
    if let partialPath, !isFinished {
      if isPartialFileInPlace { unlink(partialPath) }
      TemporaryFiles.forget(partialPath)
    }
    close(descriptor)
  }

  /// Appends bytes.
  package func write(_ bytes: [UInt8]) throws(OutputError) {
    try put(compressor?.compressed(bytes, isLast: false) ?? bytes)
  }

  /// Writes the end of compressed data, makes the content durable and renames the file.
  package func finish() throws(OutputError) {
    try complete()
    try publish()
  }

  /// Writes the end of compressed data and makes the content durable, so that only the name can fail.
  package func complete() throws(OutputError) {
    if let compressor { try put(compressor.compressed([], isLast: true)) }
    guard partialPath == nil || fsync(descriptor) == 0 else {
      throw OutputError(systemError: errno, path: path)
    }
  }

  /// Renames a file that is complete.
  package func publish() throws(OutputError) {
    guard let partialPath else { return }
    guard isPartialFileInPlace else {
      throw OutputError(.partialFileRemoved(path: partialPath), path: path)
    }
    try rules.checkProtected(path)
    do throws(StoreError) {
      try FinishedFile.publish(partialPath, as: path, isReplacing: isReplacing)
    } catch {
      throw OutputError(error, path: path)
    }
    isFinished = true
    if !isReplacing { unlink(partialPath) }
    TemporaryFiles.forget(partialPath)
  }

  private func put(_ bytes: [UInt8]) throws(OutputError) {
    guard CompleteWrite.write(bytes, to: descriptor) else {
      throw OutputError(systemError: errno, path: path)
    }
  }

  private var isPartialFileInPlace: Bool {
    partialPath.map { PartialOutput.isInPlace($0, descriptor) } ?? false
  }
}

// Not Sendable: every write moves the position in the file.
@available(*, unavailable)
extension OutputFile: Sendable {}
