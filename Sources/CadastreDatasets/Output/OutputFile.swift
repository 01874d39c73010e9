import CadastreSQLite
import CadastreStore
import Foundation

/// An output file that gets its final name when it is complete.
///
///     let file = try OutputFile(path: "a.csv", OutputRules(replacing: .none, stores: [store]))
///     try file.write(bytes)
///     try file.finish()
///
/// The incomplete file has a temporary name, and is removed if it is not finished. A pipe or
/// character device is written to directly.
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

  /// Appends the content of a file.
  func append(contentsOf path: String) throws {
    let handle = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? handle.close() }
    while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
      try write(Array(piece))
    }
  }

  /// Creates a file under the same rules, without compression.
  func sibling(_ path: String) throws(OutputError) -> OutputFile {
    try OutputFile(path: path, rules)
  }

  /// Writes the end of compressed data, makes the content durable and renames the file.
  package func finish() throws(OutputError) {
    try complete()
    try publish()
  }

  /// Writes the end of compressed data and makes the content durable, so that only renaming can
  /// fail.
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

/// Files and folders that have a temporary name, and are locked, until they are complete.
///
/// A locked output is being written by another process. An unlocked output was left by a killed
/// process, and is removed.
enum PartialOutput {
  /// The kinds of outputs.
  enum Kind { case file, folder }

  /// Returns the temporary path of an output.
  static func path(of path: String) -> String { path + ".cadastre-partial" }

  /// Creates and locks a file or folder, which is removed if a signal ends the program.
  ///
  /// - Parameters:
  ///   - kind: The kind of output.
  ///   - partial: The temporary path.
  ///   - path: The final path, for errors.
  /// - Returns: The open descriptor, which holds the lock.
  /// - Throws: ``OutputError``.
  static func create(
    _ kind: Kind, _ partial: String, for path: String
  ) throws(OutputError) -> Int32 {
    var descriptor: Int32 = -1
    try TemporaryFiles.add { () throws(OutputError) in
      descriptor = try locked(kind, partial, for: path)
      return partial
    }
    return descriptor
  }

  private static func locked(
    _ kind: Kind, _ partial: String, for path: String
  ) throws(OutputError) -> Int32 {
    for _ in 0..<2 {
      let descriptor = make(kind, partial)
      if descriptor >= 0 {
        guard isLockedElsewhere(descriptor) else { return descriptor }
        close(descriptor)
        break
      }
      guard errno == EEXIST else { throw OutputError(systemError: errno, path: path) }
      try removeAbandoned(kind, partial, for: path)
    }
    throw OutputError(.beingWritten, path: path)
  }

  /// Returns whether a path still refers to an open file or folder.
  static func isInPlace(_ partial: String, _ descriptor: Int32) -> Bool {
    guard let own = FileIdentity(descriptor: descriptor) else { return false }
    return FileIdentity(path: partial) == own
  }

  private static func make(_ kind: Kind, _ partial: String) -> Int32 {
    let common = O_NOFOLLOW | O_CLOEXEC
    switch kind {
    case .file: return open(partial, O_RDWR | O_CREAT | O_EXCL | common, 0o666)
    case .folder:
      guard mkdir(partial, 0o777) == 0 else { return -1 }
      let descriptor = open(partial, O_RDONLY | O_DIRECTORY | common)
      if descriptor < 0 {
        let code = errno
        rmdir(partial)
        errno = code
      }
      return descriptor
    }
  }

  /// Removes the incomplete output of a process that was killed.
  private static func removeAbandoned(
    _ kind: Kind, _ partial: String, for path: String
  ) throws(OutputError) {
    let descriptor = open(partial, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    let type = kind == .file ? S_IFREG : S_IFDIR
    var status = stat()
    guard descriptor >= 0 else { throw OutputError(.foreignPartialFile(path: partial), path: path) }
    defer { close(descriptor) }
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == type,
      status.st_uid == geteuid()
    else { throw OutputError(.foreignPartialFile(path: partial), path: path) }
    guard !isLockedElsewhere(descriptor) else { throw OutputError(.beingWritten, path: path) }
    switch kind {
    case .file: unlink(partial)
    case .folder: try? FileManager.default.removeItem(atPath: partial)
    }
  }

  /// Locks a file or folder; returns whether another process has it locked.
  ///
  /// On file systems without locks the result is false.
  private static func isLockedElsewhere(_ descriptor: Int32) -> Bool {
    flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}

/// Writing of all bytes, with as many system calls as needed.
package enum CompleteWrite {
  /// Writes bytes to an open file; returns false after an error, which is in `errno`.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { write($0, to: descriptor) }
  }

  /// Writes bytes to an open file; returns false after an error, which is in `errno`.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = bytes[...]
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
