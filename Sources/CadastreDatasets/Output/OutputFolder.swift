import CadastreStore
import Foundation

/// A folder of output files that gets its final name when all files are complete.
///
///     let folder = try OutputFolder(path: "places")
///     try folder.write("country=FR/part-0.parquet") { try $0.write(bytes) }
///     try folder.finish()
///
/// The incomplete folder has a temporary name, and is removed if it is not finished.
package final class OutputFolder {
  /// The final path.
  package let path: String
  private let partialPath: String
  private let descriptor: Int32
  /// The folders that were created below this one, by their paths in it.
  private var folders: Set<String> = []
  private var isFinished = false

  /// Creates a folder.
  ///
  /// - Parameter path: The final path, at which only an empty folder may exist.
  /// - Throws: ``OutputError`` if the path has another file, or the folder cannot be created.
  package init(path: String) throws(OutputError) {
    let path = Self.withoutFinalSlashes(path)
    try Self.checkVacant(path)
    self.path = path
    partialPath = PartialOutput.path(of: path)
    descriptor = try PartialOutput.create(.folder, partialPath, for: path)
  }

  deinit {
    if !isFinished {
      if PartialOutput.isInPlace(partialPath, descriptor) {
        try? FileManager.default.removeItem(atPath: partialPath)
      }
      TemporaryFiles.forget(partialPath)
    }
    close(descriptor)
  }

  /// Writes a file.
  ///
  /// - Parameters:
  ///   - name: The path of the file in the folder; missing folders are created.
  ///   - body: The closure that writes the content.
  /// - Returns: The result of the closure.
  /// - Throws: ``OutputError``, or the error of the closure.
  package func write<Result>(
    _ name: String, _ body: (OutputFile) throws -> Result
  ) throws -> Result {
    do {
      try createFolders(of: name)
      let file = try OutputFile(path: "\(partialPath)/\(name)", OutputRules(replacing: .none))
      let result = try body(file)
      try file.finish()
      return result
    } catch let error as OutputError {
      throw error.moved(from: partialPath, to: path)
    }
  }

  /// Makes the names of all files durable, and gives the folder its final name.
  ///
  /// - Throws: ``OutputError``.
  package func finish() throws(OutputError) {
    for folder in folders { try synchronize("\(partialPath)/\(folder)") }
    guard fsync(descriptor) == 0 else { throw OutputError(systemError: errno, path: path) }
    guard PartialOutput.isInPlace(partialPath, descriptor) else {
      throw OutputError(.partialFileRemoved(path: partialPath), path: path)
    }
    guard rename(partialPath, path) == 0 else {
      let isTaken = [EEXIST, ENOTEMPTY, ENOTDIR].contains(errno)
      throw isTaken
        ? OutputError(.folderExists, path: path) : OutputError(systemError: errno, path: path)
    }
    isFinished = true
    TemporaryFiles.forget(partialPath)
    try synchronize(path.parentFolder)
  }

  private func createFolders(of name: String) throws(OutputError) {
    var folder = ""
    for part in name.split(separator: "/").dropLast() {
      folder += folder.isEmpty ? String(part) : "/\(part)"
      guard folders.insert(folder).inserted else { continue }
      guard mkdir("\(partialPath)/\(folder)", 0o777) == 0 else {
        throw OutputError(systemError: errno, path: "\(path)/\(folder)")
      }
    }
  }

  private func synchronize(_ folder: String) throws(OutputError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw OutputError(systemError: errno, path: path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw OutputError(systemError: errno, path: path)
    }
  }

  /// Checks that nothing, or an empty folder, is at a path.
  private static func checkVacant(_ path: String) throws(OutputError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw OutputError(systemError: errno, path: path) }
      return
    }
    let content = try? FileManager.default.contentsOfDirectory(atPath: path)
    guard status.st_mode & S_IFMT == S_IFDIR, content?.isEmpty == true else {
      throw OutputError(.folderExists, path: path)
    }
  }

  private static func withoutFinalSlashes(_ path: String) -> String {
    var path = path[...]
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    return String(path)
  }
}

// Not Sendable: every write changes the set of folders.
@available(*, unavailable)
extension OutputFolder: Sendable {}
