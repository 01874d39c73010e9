import CadastreStore
import Foundation

/// An output file that gets its final name when it is complete.
///
///     let file = try OutputFile(path: "a.csv", OutputRules(replacing: .none, stores: [store]))
///     try file.write(bytes)
///     try file.finish()
///
/// Until then it has the extension `.cadastre-partial`, and it is removed if it is not finished. A
/// locked file of that name is being written by another process; an unlocked one was left by a
/// process that was killed, and is removed. A pipe or character device is written to directly.
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

  /// The extension of incomplete files.
  static let partialExtension = ".cadastre-partial"

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
      let partialPath = path + Self.partialExtension
      self.partialPath = partialPath
      self.isReplacing = isReplacing
      descriptor = try Self.create(partialPath, path)
      TemporaryFiles.add(partialPath)
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

  // MARK: The incomplete file

  private var isPartialFileInPlace: Bool {
    guard let partialPath, let own = FileIdentity(descriptor: descriptor) else { return false }
    return FileIdentity(path: partialPath) == own
  }

  /// Creates and locks the incomplete file; returns its descriptor.
  private static func create(_ partial: String, _ path: String) throws(OutputError) -> Int32 {
    for _ in 0..<2 {
      let descriptor = open(
        partial, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
      if descriptor >= 0 {
        guard isLockedElsewhere(descriptor) else { return descriptor }
        close(descriptor)
        break
      }
      guard errno == EEXIST else { throw OutputError(systemError: errno, path: path) }
      try removeAbandoned(partial, path)
    }
    throw OutputError(.beingWritten, path: path)
  }

  /// Removes the incomplete file of a process that was killed.
  private static func removeAbandoned(_ partial: String, _ path: String) throws(OutputError) {
    let descriptor = open(partial, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0 else { throw OutputError(.foreignPartialFile(path: partial), path: path) }
    defer { close(descriptor) }
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid()
    else { throw OutputError(.foreignPartialFile(path: partial), path: path) }
    guard !isLockedElsewhere(descriptor) else { throw OutputError(.beingWritten, path: path) }
    unlink(partial)
  }

  /// Locks a file; returns whether another process has it locked.
  ///
  /// On file systems without locks no file is locked.
  private static func isLockedElsewhere(_ descriptor: Int32) -> Bool {
    flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}

// Not Sendable: every write moves the position in the file.
@available(*, unavailable)
extension OutputFile: Sendable {}
