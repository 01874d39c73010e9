import CadastreSQLite
import CadastreStore
import Foundation

/// The rules for the path of an output: which files it must not name, and which it may replace.
///
/// Files are compared by device and inode, so that links to a file count as the file. Paths without
/// a file are compared by their names, because the file may be created later.
package struct OutputRules {
  /// The existing files that an output may replace.
  ///
  /// Empty files, pipes and character devices are always written.
  package enum Replacement {
    /// No file.
    case none
    /// Files whose first bytes identify an earlier output of the same kind.
    case earlier(isOutput: ([UInt8]) -> Bool)
    /// All files that are not protected.
    case all
  }

  /// A file that must not be replaced.
  private struct Protected {
    let path: String
    let identity: FileIdentity?
    let problem: OutputError.Problem

    init(_ path: String, _ problem: OutputError.Problem) {
      self.path = path
      self.problem = problem
      identity = FileIdentity(path: path)
    }
  }

  private let replacement: Replacement
  private let protected: [Protected]

  /// Creates rules.
  ///
  /// - Parameters:
  ///   - replacement: The existing files that the output may replace.
  ///   - inputs: The files that are read; `-` is standard input.
  ///   - stores: The stores that are read or written; they need not exist.
  package init(replacing replacement: Replacement, inputs: [String] = [], stores: [String] = []) {
    self.replacement = replacement
    let read = inputs.flatMap { $0 == "-" ? ["/dev/stdin"] : InputParts.paths(of: $0) }
    protected =
      read.map { Protected($0, .inUse(as: "an input")) }
      + stores.flatMap { store in
        Self.files(of: store).map { Protected($0, .store(path: store)) }
      }
  }

  /// Returns the files of a store, also those beside the target of a symbolic link.
  private static func files(of store: String) -> [String] {
    let target = realpath(store, nil)
    defer { free(target) }
    let paths = Set([store] + (target.map { [String(cString: $0)] } ?? []))
    return paths.flatMap { path in StoreFile.fileSuffixes.map { path + $0 } }
  }

  /// The file at the path of an output.
  enum Target {
    /// A new or regular file; an existing one is replaced if the argument is true.
    case file(isReplacing: Bool)
    /// A pipe or character device, which is written to directly.
    case stream
  }

  /// Checks the path of an output.
  ///
  /// - Throws: ``OutputError`` if the path must not be written.
  func target(_ path: String) throws(OutputError) -> Target {
    try checkProtected(path)
    var status = stat()
    guard stat(path, &status) == 0 else {
      try checkSideFile(path)
      // A symbolic link without a target.
      if lstat(path, &status) == 0, !mayReplace(path) { throw OutputError(.exists, path: path) }
      return .file(isReplacing: lstat(path, &status) == 0)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw OutputError(.directory, path: path)
    case S_IFIFO, S_IFCHR: return .stream
    case S_IFREG: break
    default: throw OutputError(.special, path: path)
    }
    try checkSideFile(path)
    guard !FileProbe.isStore(path) else { throw OutputError(.store(path: path), path: path) }
    guard status.st_size == 0 || mayReplace(path) else { throw OutputError(.exists, path: path) }
    return .file(isReplacing: true)
  }

  /// Checks that a path names none of the protected files and no standard stream.
  func checkProtected(_ path: String) throws(OutputError) {
    let identity = FileIdentity(path: path)
    let isRegular = Self.isRegular(path)
    for file in protected {
      let isSame =
        if let identity, let other = file.identity {
          isRegular && identity == other
        } else {
          Self.canonical(path) == Self.canonical(file.path)
        }
      if isSame { throw OutputError(file.problem, path: path) }
    }
    guard let identity, isRegular else { return }
    let streams = [(STDOUT_FILENO, "standard output"), (STDERR_FILENO, "standard error")]
    for (descriptor, name) in streams
    where FileIdentity(descriptor: descriptor) == identity {
      throw OutputError(.inUse(as: name), path: path)
    }
  }

  /// Checks that a path does not name a log or a lock of a store.
  private func checkSideFile(_ path: String) throws(OutputError) {
    for suffix in StoreFile.fileSuffixes where !suffix.isEmpty && path.hasSuffix(suffix) {
      let store = String(path.dropLast(suffix.count))
      guard !FileProbe.isStore(store) else { throw OutputError(.store(path: store), path: path) }
    }
  }

  private func mayReplace(_ path: String) -> Bool {
    switch replacement {
    case .none: false
    case .all: true
    case .earlier(let isOutput): isOutput(Self.firstBytes(path))
    }
  }

  private static func firstBytes(_ path: String) -> [UInt8] {
    let descriptor = DatabaseFiles.open(path)
    guard descriptor >= 0 else { return [] }
    defer { DatabaseFiles.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    return Array(bytes.prefix(max(count, 0)))
  }

  private static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns a path with the symbolic links of its folder resolved.
  private static func canonical(_ path: String) -> String {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent().path
    let resolved = realpath(folder, nil)
    defer { free(resolved) }
    return (resolved.map { String(cString: $0) } ?? folder) + "/" + url.lastPathComponent
  }
}

/// The files that an input consists of.
enum InputParts {
  /// Returns the paths of all files of an input: of a Shapefile every file with the same name before its
  /// extension, of a GeoPackage its log too.
  static func paths(of path: String) -> [String] {
    let url = URL(fileURLWithPath: path)
    let name = url.lastPathComponent.lowercased()
    guard name.hasSuffix(".shp") || name.hasSuffix(".shp.gz") else {
      return [path, path + "-wal", path + "-shm", path + "-journal"]
    }
    let stem = String(name.prefix { $0 != "." })
    let folder = url.deletingLastPathComponent().path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let parts = names.filter { $0.lowercased().hasPrefix(stem + ".") }
    return [path] + parts.map { folder + "/" + $0 }
  }
}
