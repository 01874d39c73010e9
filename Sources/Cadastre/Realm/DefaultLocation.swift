import Foundation

/// The default location of a program's store.
///
/// On Linux it follows the XDG Base Directory Specification:
/// `$XDG_DATA_HOME/<program>/default.cadastre`, or `~/.local/share/<program>/default.cadastre`
/// where the variable is missing or not an absolute path. On Apple platforms it is in the folder
/// for application support.
enum DefaultLocation {
  static let fileName = "default.cadastre"

  /// The file of this program.
  static var url: URL {
    let process = ProcessInfo.processInfo
    #if canImport(Darwin)
      let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
      if let support = support.first {
        return file(in: support, of: Bundle.main.bundleIdentifier ?? process.processName)
      }
    #endif
    let home = FileManager.default.homeDirectoryForCurrentUser
    return file(in: dataFolder(process.environment, home), of: process.processName)
  }

  /// The user's folder for data.
  static func dataFolder(_ environment: [String: String], _ home: URL) -> URL {
    if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") {
      return URL(fileURLWithPath: folder)
    }
    return home.appendingPathComponent(".local/share")
  }

  private static func file(in folder: URL, of program: String) -> URL {
    folder.appendingPathComponent(program.isEmpty ? "cadastre" : program)
      .appendingPathComponent(fileName)
  }

  /// Makes the folder of this program, for the user alone, unless it is there.
  static func makeFolder() throws {
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }
}
