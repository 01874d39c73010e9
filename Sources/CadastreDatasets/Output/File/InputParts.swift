import Foundation

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
