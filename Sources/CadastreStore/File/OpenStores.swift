import Foundation
import Synchronization

/// The stores that this process has open, one instance a file.
package enum OpenStores {
  private struct Entry { weak var file: StoreFile? }
  private struct FileIdentity: Hashable {
    var device: UInt64
    var number: UInt64
  }
  private struct Registry {
    var entries: [String: Entry] = [:]
    /// Files known to be stores. Probing one again would open and close it beside SQLite, and
    /// closing any descriptor of a file drops the locks that the process holds on it.
    var probed: Set<FileIdentity> = []
  }
  private static let registry = Mutex(Registry())

  /// The store in a file, which is made when something is first written to it.
  ///
  /// - Parameter mustExist: Whether a missing file is an error.
  /// - Throws: ``StoreError`` when there is something else at the path, or no folder to hold it.
  package static func store(
    at path: String, mustExist: Bool = false
  ) throws(StoreError) -> StoreFile {
    let canonical = try canonicalPath(path)
    return try registry.withLock { (registry) throws(StoreError) in
      let exists = try probe(canonical, &registry)
      if mustExist, !exists { throw StoreError(.fileNotFound, path: path) }
      if let open = registry.entries[canonical]?.file { return open }
      let file = StoreFile(path: canonical, isTemporary: false)
      registry.entries[canonical] = Entry(file: file)
      return file
    }
  }

  /// The store that lives in memory, or in a private temporary file, under a name of this process;
  /// it vanishes with its last user.
  package static func temporaryStore(_ identifier: String) throws(StoreError) -> StoreFile {
    let name = "memory:" + identifier
    return try registry.withLock { (registry) throws(StoreError) in
      if let open = registry.entries[name]?.file { return open }
      let file = StoreFile(path: try temporaryFolder() + "/store.cadastre", isTemporary: true)
      registry.entries[name] = Entry(file: file)
      return file
    }
  }

  private static func probe(
    _ path: String, _ registry: inout Registry
  ) throws(StoreError) -> Bool {
    var status = stat()
    if stat(path, &status) == 0 {
      let identity = FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
      if status.st_size > 0, registry.probed.contains(identity) { return true }
      let exists = try FileProbe.exists(path)
      if exists { registry.probed.insert(identity) }
      return exists
    }
    return try FileProbe.exists(path)
  }

  /// The path with the links of its folder followed, so that one file has one name.
  private static func canonicalPath(_ path: String) throws(StoreError) -> String {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent().path
    guard let resolved = realpath(folder, nil) else {
      throw StoreError(systemError: errno, path: path)
    }
    defer { free(resolved) }
    return String(cString: resolved) + "/" + url.lastPathComponent
  }

  /// A new folder for one store, in memory where the system offers that.
  private static func temporaryFolder() throws(StoreError) -> String {
    let memory = "/dev/shm"
    let parent = access(memory, W_OK) == 0 ? memory : NSTemporaryDirectory()
    var template = Array((parent + "/cadastre-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw StoreError(systemError: errno, path: parent)
    }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
