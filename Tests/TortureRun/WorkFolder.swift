import Foundation

/// A folder of a campaign, which is removed when it ended without a finding.
struct WorkFolder {
  let path: String

  /// Creates a folder; its path contains no symbolic links, so that the interposer recognises it.
  init(_ name: String) throws {
    let created = FileManager.default.temporaryDirectory.path + "/cadastre-\(name)-\(UUID())"
    try FileManager.default.createDirectory(atPath: created, withIntermediateDirectories: true)
    guard let resolved = realpath(created, nil) else { throw Failure("no folder \(created)") }
    defer { free(resolved) }
    path = String(cString: resolved)
  }

  /// Creates an empty folder inside of this one, in place of an earlier one of this name.
  func folder(_ name: String) throws -> String {
    let inner = path + "/" + name
    try? FileManager.default.removeItem(atPath: inner)
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
    return inner
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Replaces the files of a folder by copies of those of another.
  static func copy(_ source: String, to target: String) throws {
    let manager = FileManager.default
    try? manager.removeItem(atPath: target)
    try manager.createDirectory(atPath: target, withIntermediateDirectories: true)
    for name in try manager.contentsOfDirectory(atPath: source) {
      try manager.copyItem(atPath: source + "/" + name, toPath: target + "/" + name)
    }
  }

  /// Waits until the connections of the stores of a folder are closed, which happens in the background.
  ///
  /// - Throws: ``Failure`` where a store stays open.
  static func waitUntilClosed(_ folder: String) throws {
    for _ in 0..<1000 {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      if !names.contains(where: { $0.hasSuffix("-wal") }) { return }
      usleep(10_000)
    }
    throw Failure("a store stays open in \(folder)")
  }

  /// Makes all folders in a folder an hour old: those of a killed process are removed after a minute.
  static func age(_ folder: String) throws {
    let manager = FileManager.default
    for name in try manager.subpathsOfDirectory(atPath: folder) {
      var status = stat()
      let path = folder + "/" + name
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
      try manager.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path)
    }
  }
}
