import CadastreFormatting
import CadastreStore
import Foundation

/// A file of a zip archive, extracted with its companions, such as the `.dbf` of a Shapefile.
///
/// The extracted files are deleted when the instance is released.
final class ArchiveMember {
  /// The name of the file: the path of the archive and the path in it.
  let name: String
  /// The path of the extracted file.
  let path: String
  private let folder: TemporaryFolder

  /// Extracts the file that a name denotes: `a.zip` for the only dataset of an archive, `a.zip/b/c.shp` for
  /// one of them; nil if the name is not that of an archive or a file in one.
  ///
  /// - Parameter name: The name.
  /// - Throws: ``DatasetError`` if the archive cannot be read, or has no such file or several datasets.
  init?(_ name: String) throws(DatasetError) {
    guard let (archivePath, inner) = Self.parts(name) else { return nil }
    let archive = try ZipArchive(path: archivePath)
    let entry = try Self.entry(inner, in: archive)
    self.name = "\(archivePath)/\(entry.name)"
    do throws(StoreError) {
      folder = try TemporaryFolder(in: .disk)
    } catch {
      throw DatasetError(
        path: name, problem: .unreadable(reason: "cannot extract it: \(error)"))
    }
    path = folder.path + "/" + Self.fileName(entry)
    var allowance = (compressed: 0, bytes: 0)
    try archive.extract(entry, to: path, &allowance)
    var companions = Self.companions[entry.suffix] ?? []
    for part in archive.entries where part.stem == entry.stem {
      guard companions.remove(part.suffix) != nil else { continue }
      try archive.extract(part, to: folder.path + "/" + Self.fileName(part), &allowance)
    }
  }

  /// The extensions of the files that belong to one of an extension.
  private static let companions: [String: Set<String>] = [
    "shp": ["dbf", "shx", "prj", "cpg"], "tab": ["dat", "map", "id", "ind"], "mif": ["mid"],
    "gml": ["xsd", "gfs"],
  ]

  /// Returns the path of an archive and the path in it; nil for other names.
  private static func parts(_ name: String) -> (archive: String, inner: String?)? {
    if name.lowercased().hasSuffix(".gdb.zip") { return nil }
    if name.lowercased().hasSuffix(".zip"), isFile(name) { return (name, nil) }
    guard
      let range = name.range(of: ".zip/", options: .caseInsensitive)
        ?? name.range(of: ".kmz/", options: .caseInsensitive)
    else { return nil }
    let archive = String(name[..<name.index(before: range.upperBound)])
    return isFile(archive) ? (archive, String(name[range.upperBound...])) : nil
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private static func fileName(_ entry: ZipArchive.Entry) -> String {
    String(entry.name.split(separator: "/").last ?? "content")
  }

  private static func entry(
    _ inner: String?, in archive: ZipArchive
  ) throws(DatasetError) -> ZipArchive.Entry {
    if let inner {
      if let entry = archive.entries.first(where: { $0.name == inner }) { return entry }
      throw refusal(archive, "it has no file '\(printable(inner))'", archive.entries.map(\.name))
    }
    let datasets = archive.entries.filter { entry in
      let parts = entry.name.split(separator: "/")
      guard !parts.contains(where: { $0.hasPrefix(".") || $0 == "__MACOSX" }),
        FormatDescriptor.named(byFile: entry.name) != nil
      else { return false }
      // The table of a Shapefile is a part of it.
      return !entry.name.lowercased().hasSuffix(".dbf")
        || !archive.entries.contains {
          $0.stem == entry.stem && $0.name.lowercased().hasSuffix(".shp")
        }
    }
    guard let first = datasets.first else {
      throw refusal(
        archive, "it has no file of a format that is read", archive.entries.map(\.name))
    }
    guard datasets.count == 1 else {
      throw refusal(
        archive, "it has several datasets; name one, as \(archive.path)/\(first.name)",
        datasets.map(\.name))
    }
    return first
  }

  private static func refusal(
    _ archive: ZipArchive, _ detail: String, _ names: [String]
  ) -> DatasetError {
    DatasetError(
      path: archive.path, problem: .gzip(.zip(detail: "\(detail); it has \(listed(names))")))
  }
}
