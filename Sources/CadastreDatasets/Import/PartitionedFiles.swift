import Foundation

/// Folders of Parquet files as sources.
enum InputFolder {
  /// Returns files with each folder replaced by the files of one format in it and below, by name.
  ///
  /// Of several formats, Parquet is taken; names that begin with `_` or `.` are left out, as other engines do.
  ///
  /// - Parameter names: The files and folders.
  /// - Returns: The files.
  /// - Throws: ``DatasetError`` for a folder without files of a format that is read, or with several formats.
  static func files(_ names: [String]) throws(DatasetError) -> [String] {
    var files: [String] = []
    for name in names {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder),
        isFolder.boolValue,
        // A file geodatabase is a folder.
        FormatDescriptor.named(byFile: name) != .gdal
      else {
        files.append(name)
        continue
      }
      let paths = FileManager.default.enumerator(atPath: name)?.compactMap { $0 as? String } ?? []
      let visible = paths.filter { path in
        !path.split(separator: "/").contains { $0.hasPrefix("_") || $0.hasPrefix(".") }
      }
      var parts = visible.filter { $0.lowercased().hasSuffix(".parquet") }
      if parts.isEmpty { parts = try datasets(among: visible, of: name) }
      files += parts.sorted().map { name.hasSuffix("/") ? name + $0 : "\(name)/\($0)" }
    }
    return files
  }

  /// Returns the files of the only format among files, without the tables of Shapefiles.
  private static func datasets(
    among paths: [String], of folder: String
  ) throws(DatasetError) -> [String] {
    let shapes = Set(paths.filter { $0.lowercased().hasSuffix(".shp") }.map { $0.dropLast(4) })
    let files = paths.compactMap { path -> (path: String, format: FormatDescriptor)? in
      guard let format = FormatDescriptor.named(byFile: path),
        !path.lowercased().hasSuffix(".dbf") || !shapes.contains(path.dropLast(4))
      else { return nil }
      return (path, format)
    }
    guard let first = files.first else { throw DatasetError(path: folder, problem: .directory) }
    guard files.allSatisfy({ $0.format == first.format }) else {
      let formats = Set(files.map(\.format.name)).sorted()
      throw DatasetError(
        path: folder,
        problem: .unreadable(
          reason:
            "the folder has files of several formats, \(formats.joined(separator: ", ")); name the files"
        ))
    }
    return files.map(\.path)
  }
}

/// Columns whose values are in the paths of files: `country=FR/part-0.parquet`.
struct PartitionKeys: Sendable {
  /// The names of the columns, in the order of the path.
  let names: [String]
  /// The values of each file.
  private let values: [String: [String?]]
  /// Whether all values are integers, for each column.
  let areIntegers: [Bool]

  /// Reads the columns from paths; there are none if the columns of the paths differ.
  init(_ paths: [String]) {
    let pairs = paths.map(Self.pairs)
    let names = pairs.first?.map(\.0) ?? []
    guard pairs.allSatisfy({ $0.map(\.0) == names }), Set(names).count == names.count else {
      (self.names, values, areIntegers) = ([], [:], [])
      return
    }
    self.names = names
    values = Dictionary(
      zip(paths, pairs.map { $0.map(\.1) }), uniquingKeysWith: { first, _ in first })
    areIntegers = names.indices.map { index in
      pairs.allSatisfy { pair in
        pair[index].1.map { Int64($0) != nil && "\(Int64($0) ?? 0)" == $0 } ?? true
      }
    }
  }

  /// The values of a file, in the order of the names; nil for null.
  func values(of path: String) -> [String?] { values[path] ?? names.map { _ in nil } }

  private static func pairs(_ path: String) -> [(String, String?)] {
    path.split(separator: "/").dropLast().compactMap { PartitionName.parse(String($0)) }
  }
}

/// The syntax of folder names with the value of a column, as Hive, Spark, DuckDB and pyarrow write
/// them: `country=FR`.
enum PartitionName {
  private static let null = "__HIVE_DEFAULT_PARTITION__"

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")

  /// Returns the name of the folder of a value; other characters than ASCII letters, digits and `-_.~` are
  /// percent-encoded.
  static func text(_ column: String, _ value: String?) -> String {
    guard let value else { return "\(encoded(column))=\(null)" }
    let text = encoded(value)
    return "\(encoded(column))=\(text == null ? "%5F" + text.dropFirst() : text)"
  }

  /// Returns the column and the value of a folder name, whose value is nil for null; nil for other
  /// names.
  static func parse(_ name: String) -> (String, String?)? {
    guard let equals = name.firstIndex(of: "="), equals > name.startIndex else { return nil }
    let value = String(name[name.index(after: equals)...])
    return (decoded(String(name[..<equals])), value == null ? nil : decoded(value))
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
  }

  private static func decoded(_ text: String) -> String { text.removingPercentEncoding ?? text }
}
