import CadastreModel
package import CadastreSQLite
import Foundation

/// The stores that this process has open, one instance per file.
///
/// The key of an instance is the canonical path of the file. Under another name of the file, the
/// instance is looked up by device and inode.
package enum OpenStores {
  fileprivate struct State {
    /// The open stores, by canonical path or name of a temporary store.
    var files: [String: Entry] = [:]
    /// The paths of the open stores in files that existed when they were opened.
    var paths: [FileIdentity: String] = [:]
  }

  fileprivate struct Entry {
    weak var file: StoreFile?
    /// Whether the file existed when it was opened, so that `paths` contains its identity.
    let hasIdentity: Bool
  }
  private static let state = Guarded(State())
  /// The numbers of closures in the background that retain a store for a moment, by path.
  private static let backgroundUses = Guarded<[String: Int]>([:])
  /// The numbers of uses, by path.
  private static let uses = Guarded<[String: Int]>([:])

  /// Calls a closure that works on a store in the background, and releases it.
  ///
  /// Who has closed the store, and removes it or opens it otherwise, waits for the end of the closure.
  /// The closure must not call a program's code, which may wait for the same.
  static func whileBusy<Result>(_ path: String, _ body: () -> Result) -> Result {
    begin(path, in: backgroundUses)
    defer { _ = end(path, in: backgroundUses) }
    return body()
  }

  private static func isBusy(_ path: String) -> Bool {
    backgroundUses.withLock { $0[path] != nil }
  }

  private static func begin(_ path: String, in uses: Guarded<[String: Int]>) {
    uses.withLock { $0[path, default: 0] += 1 }
  }

  /// Ends a use; returns whether it was the last.
  private static func end(_ path: String, in uses: Guarded<[String: Int]>) -> Bool {
    uses.withLock { uses in
      let count = uses[path, default: 1] - 1
      uses[path] = count > 0 ? count : nil
      return count <= 0
    }
  }

  /// Records that a program uses a store, until ``endUse(of:)``.
  fileprivate static func beginUse(of path: String) { begin(path, in: uses) }

  /// Ends a use; the last one waits until background work has released the store, so that it is closed afterwards.
  fileprivate static func endUse(of path: String) {
    guard end(path, in: uses), !BackgroundStorage.isCurrentQueue else { return }
    for _ in 0..<closingWaits where isBusy(path) { usleep(1000) }
  }

  /// Repeats an attempt that fails while background work retains the store in a file.
  private static func afterBackgroundUse<Result>(
    of path: String, _ attempt: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    for _ in 0..<closingWaits {
      let isBusy = isBusy(path)
      do throws(StoreError) {
        return try attempt()
      } catch {
        guard isBusy, error.reason.isCausedByUse else { throw error }
      }
      usleep(1000)
    }
    return try attempt()
  }

  /// Returns the store in a file; a missing file is created by the first write.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - mustExist: Whether a missing file is an error, as it is for reading only.
  ///   - access: Whether the store may be written.
  ///   - durability: The durability of commits; nil for that of the open store, or `full`.
  /// - Returns: The instance that all users of the file share.
  /// - Throws: ``StoreError`` when the path contains anything else, when its folder is missing, when the
  ///   store is open with another access or durability, or when another process uses it under another name.
  package static func store(
    at path: String, mustExist: Bool = false, access: StoreFile.Access = .readWrite,
    durability: CommitDurability? = nil
  ) throws(StoreError) -> StoreFile {
    try afterBackgroundUse(of: try canonicalPath(path)) { () throws(StoreError) in
      let file = try file(
        path, mustExist || access == .readOnly, access, durability ?? .full,
        access == .readOnly ? .refused : .always)
      guard file.access == access else {
        throw StoreError(.openOtherwise(readOnly: file.access == .readOnly), path: path)
      }
      guard durability == nil || file.durability == durability else {
        throw StoreError(.openWithOtherDurability, path: path)
      }
      return file
    }
  }

  /// Returns the store in an existing file for reading; a store that this process has open keeps its access.
  ///
  /// A store of an earlier format is upgraded first, or read as it is in order to copy it.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - upgrade: The treatment of a store of an earlier format.
  /// - Returns: The instance that all users of the file share.
  /// - Throws: ``StoreError`` when the path contains no store.
  package static func readableStore(
    at path: String, upgrade: FormatUpgrade = .always
  ) throws(StoreError) -> StoreFile {
    try file(path, true, .readOnly, .full, upgrade)
  }

  /// The treatment of a store of an earlier format.
  package enum FormatUpgrade: Sendable {
    /// The store is rewritten in the current format.
    case always
    /// The store is refused, because it may not be written.
    case refused
    /// The store is read as it is, in order to copy it; queries for dates may miss rows.
    case none
  }

  private static func file(
    _ path: String, _ mustExist: Bool, _ access: StoreFile.Access, _ durability: CommitDurability,
    _ upgrade: FormatUpgrade
  ) throws(StoreError) -> StoreFile {
    let canonical = try canonicalPath(path)
    if let open = try openFile(canonical) { return open }
    // The probe runs outside of the lock, because it may wait for a process that opens or closes the store.
    let isOpenElsewhere: Bool
    do throws(StoreError) {
      isOpenElsewhere = try probe(canonical, mustExist, access, upgrade)
    } catch {
      // Errors name the path of the caller.
      throw StoreError(error.reason, path: URL(fileURLWithPath: path).path)
    }
    return state.withLock { state in
      // Another thread may have opened it meanwhile.
      if let open = state.file(canonical, FileIdentity(path: canonical)) { return open }
      let file = StoreFile(
        path: canonical, access: access, durability: durability, isOpenElsewhere: isOpenElsewhere)
      state.add(file, canonical)
      return file
    }
  }

  /// Checks that a path contains a store or nothing, and upgrades a store of an earlier format.
  ///
  /// - Returns: Whether another process has the store open.
  private static func probe(
    _ canonical: String, _ mustExist: Bool, _ access: StoreFile.Access, _ upgrade: FormatUpgrade
  ) throws(StoreError) -> Bool {
    switch try FileProbe.content(at: canonical) {
    case .nothing where mustExist: throw StoreError(.fileNotFound, path: canonical)
    case .nothing: return false
    case .store(let isOpenElsewhere, let format):
      try StoreName.check(canonical, access)
      if format < FileProbe.formatVersion, upgrade != .none {
        guard upgrade == .always, StoreFile.mayWrite(canonical) else {
          throw StoreError(.olderFormat(found: format, isInUse: false), path: canonical)
        }
        try StoreFile(path: canonical).upgradeFormat()
      }
      return isOpenElsewhere
    }
  }

  /// Returns the open store of a file, under any of its names.
  ///
  /// - Throws: ``StoreError`` `inUse` where the store is being closed under another name for long.
  private static func openFile(_ canonical: String) throws(StoreError) -> StoreFile? {
    for _ in 0..<Self.closingWaits {
      let identity = FileIdentity(path: canonical)
      let (file, isInUse, isClosing) = state.withLock { state in
        let other = identity.flatMap { state.paths[$0] }
        let isInUse = other ?? canonical != canonical && identity.map(DatabaseFiles.isInUse) == true
        return (
          state.file(canonical, identity), isInUse,
          isInUse && other.map { state.files[$0]?.file == nil } == true
        )
      }
      if let file { return file }
      guard isInUse else { return nil }
      // A store that was moved here while it is open stays open under its former name.
      guard isClosing else { break }
      usleep(1000)
    }
    throw StoreError(.inUse, path: canonical)
  }

  /// The number of milliseconds to wait for a store that is being closed under another name.
  private static let closingWaits = 10_000

  /// Returns the temporary store of a name, which only this process sees; it is deleted when it is
  /// released.
  package static func temporaryStore(_ identifier: String) throws(StoreError) -> StoreFile {
    let name = temporaryName(identifier)
    return try state.withLock { (state) throws(StoreError) in
      if let open = state.files[name]?.file { return open }
      let file = StoreFile(in: try TemporaryFolder(in: .memory))
      state.add(file, name)
      return file
    }
  }

  /// Returns whether this process has a temporary store of that name open.
  package static func isTemporaryStoreOpen(_ identifier: String) -> Bool {
    state.withLock { $0.files[temporaryName(identifier)]?.file != nil }
  }

  /// The paths of the stores in files that this process has open.
  package static var openPaths: [String] {
    state.withLock { state in state.files.values.compactMap { $0.file?.path } }
  }

  /// Removes a closed store with its side files, and the symbolic link that names it.
  ///
  /// - Returns: Whether any of its files existed.
  /// - Throws: ``StoreError``: `inUse` when this process or another has it open, or the error of a system
  ///   call.
  package static func remove(_ path: String) throws(StoreError) -> Bool {
    let canonical = try canonicalPath(path)
    let files = StoreFile.fileSuffixes.map { canonical + $0 }
    guard files.contains(where: exists) else { return false }
    return try afterBackgroundUse(of: canonical) { () throws(StoreError) in
      try state.withLock { (state) throws(StoreError) in try remove(path, canonical, files, state) }
    }
  }

  private static func remove(
    _ path: String, _ canonical: String, _ files: [String], _ state: State
  ) throws(StoreError) -> Bool {
    let identity = FileIdentity(path: canonical)
    guard state.file(canonical, identity) == nil, identity.map(DatabaseFiles.isInUse) != true
    else { throw StoreError(.inUse, path: path) }
    if case .store(isOpenElsewhere: true, _)? = try? FileProbe.content(at: canonical) {
      throw StoreError(.inUse, path: path)
    }
    // A process that is about to write the store waits for the lock, and detects the removal afterwards.
    let lock = try FileLock(beside: canonical)
    guard try lock.tryLock() else { throw StoreError(.inUse, path: path) }
    defer { lock.unlock() }
    for file in files where unlink(file) != 0 && errno != ENOENT {
      throw StoreError(systemError: errno, path: path)
    }
    if isLink(path), unlink(path) != 0 { throw StoreError(systemError: errno, path: path) }
    return true
  }

  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  private static func temporaryName(_ identifier: String) -> String { "memory:" + identifier }

  // MARK: Paths

  /// Returns the path with all symbolic links resolved, as SQLite does, so that one file has one name.
  ///
  /// - Throws: ``StoreError`` where the folder does not exist, or the path is too long.
  static func canonicalPath(_ path: String) throws(StoreError) -> String {
    let canonical = try resolvedPath(path)
    try PathLimit.check(canonical, given: path)
    return canonical
  }

  private static func resolvedPath(_ path: String) throws(StoreError) -> String {
    if let resolved = resolved(path) { return resolved }
    var name = URL(fileURLWithPath: path)
    // The file does not exist yet; its name may be a symbolic link.
    for _ in 0..<Self.maximumLinks {
      let folder = name.deletingLastPathComponent().path
      guard let parent = resolved(folder) else { throw StoreError(systemError: errno, path: path) }
      name = URL(fileURLWithPath: parent).appendingPathComponent(name.lastPathComponent)
      guard isLink(name.path) else { return name.path }
      do {
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: name.path)
        name = URL(fileURLWithPath: target, relativeTo: URL(fileURLWithPath: parent + "/"))
      } catch {
        throw StoreError(systemError: errno, path: path)
      }
    }
    throw StoreError(systemError: ELOOP, path: path)
  }

  /// The maximum number of symbolic links, which is also the maximum of the system.
  private static let maximumLinks = 40

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }
}

/// A use of a store by a program; after the last one has been released the store is closed.
///
/// The owner releases it after everything else that retains the store.
package final class StoreUse: Sendable {
  private let path: String

  /// Begins a use.
  package init(of file: StoreFile) {
    path = file.path
    OpenStores.beginUse(of: path)
  }

  deinit { OpenStores.endUse(of: path) }
}

extension StoreError.Reason {
  /// Whether the cause is that the store is open.
  fileprivate var isCausedByUse: Bool {
    switch self {
    case .inUse, .openOtherwise, .openWithOtherDurability: true
    default: false
    }
  }
}

extension OpenStores.State {
  /// Returns the open store with a name, or with another name of the same file.
  fileprivate func file(_ name: String, _ identity: FileIdentity?) -> StoreFile? {
    if let file = files[name]?.file { return file }
    guard let identity else { return nil }
    if let other = paths[identity], FileIdentity(path: other) == identity {
      return files[other]?.file
    }
    // The file of an open store may have been created after the store was opened.
    return files.first { !$1.hasIdentity && FileIdentity(path: $0) == identity }?.value.file
  }

  /// Adds an open store and removes the entries of closed ones.
  fileprivate mutating func add(_ file: StoreFile, _ name: String) {
    files = files.filter { $0.value.file != nil }
    // A further link is read without locks, so that the store can be opened beside it.
    let isFurtherLink = file.access == .readOnly && StoreName.isFurtherLink(name)
    let identity = isFurtherLink ? nil : FileIdentity(path: name)
    files[name] = OpenStores.Entry(file: file, hasIdentity: isFurtherLink || identity != nil)
    paths = paths.filter { files[$0.value] != nil || DatabaseFiles.isInUse($0.key) }
    if let identity { paths[identity] = name }
  }
}
