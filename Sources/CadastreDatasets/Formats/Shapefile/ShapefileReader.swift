import CadastreModel
import Foundation

/// A reader of a Shapefile, record by record; a record is in memory as a whole.
///
///     let reader = try ShapefileReader(path: "cities.shp")
///     var row = TypedRow()
///     while try reader.nextRow(&row) { … }
///
/// `cities.dbf` in the same folder has the attributes; without it there are none. Named instead of `cities.shp` it is
/// read without shapes. Faults that other readers pass over too are notices: other numbers of shapes and of rows, record
/// numbers of 0, padded null shapes, open rings, UTF-8 that is cut off at the end of a field. The encoding of text is specified in `cities.cpg`, else by the language driver byte of
/// the table, else UTF-8 for valid UTF-8 and Windows-1252 for other text. Without `cities.prj`,
/// coordinates are longitude and latitude in WGS 84; others are converted by PROJ if the caller
/// allows it. A text of blanks is null, because blanks are padding. Deleted records are skipped
/// together with their shapes. Memo fields, which are in another file, are left out with a notice.
package final class ShapefileReader: TypedReader {
  package let path: String
  package let fields: [TypedField]
  package var hasGeometry: Bool { shapes != nil }
  /// The shapes; nil for a table alone.
  private let shapes: ShapeRecords?
  /// The attributes; nil if there is no table.
  private let table: TableRows?
  private let remarks = ReaderNotices()
  private var isFinished = false

  package var notices: ReaderNotices? { remarks }

  /// Opens a Shapefile.
  ///
  /// - Parameters:
  ///   - path: The path of the .shp or .shp.gz file, or of the .dbf file for the table alone.
  ///   - conversion: The treatment of coordinates in other systems than WGS 84.
  /// - Throws: ``DatasetError`` if a part cannot be read or has unsupported content.
  package init(
    path: String, conversion: CoordinateConversion = .none
  ) throws(DatasetError) {
    self.path = path
    shapes = ShapefileParts.isTable(path) ? nil : try ShapeRecords(path: path, remarks)
    let parts = ShapefileParts(path: path)
    if let shapes {
      shapes.transformation = try Self.transformation(path, parts, conversion, remarks)
      shapes.ignoresShapes = conversion.ignoresGeometries
    }
    if let part = parts.table {
      table = try TableRows(path: part, encoding: Self.encoding(parts), remarks)
    } else {
      table = nil
      remarks.add("there is no table of attributes (.dbf) beside the shapes")
    }
    fields = table?.header.fields.map(\.typed) ?? []
  }

  package var progressBytes: Int {
    (shapes?.input.file.bytesConsumed ?? 0) + (table?.input.file.bytesConsumed ?? 0)
  }

  package var totalBytes: Int? {
    guard let second = table.map({ $0.input.file.totalBytes }) ?? 0 else { return nil }
    guard let shapes else { return second }
    return shapes.input.file.totalBytes.map { $0 + second }
  }

  package func nextRow(_ row: inout TypedRow) throws(DatasetError) -> Bool {
    guard !isFinished else { return false }
    do throws(DatasetError) {
      let isTaken = if let shapes { try takePair(shapes, &row) } else { try takeRow(&row) }
      isFinished = !isTaken
      return !isFinished
    } catch {
      isFinished = error.scope == .file
      throw error
    }
  }

  /// Reads rows of a table alone until one is not deleted; returns false at the end.
  private func takeRow(_ row: inout TypedRow) throws(DatasetError) -> Bool {
    (row.point, row.geometry) = (nil, nil)
    guard let table else { return false }
    while let tableRow = try table.next(&row.values) {
      row.number = table.count
      switch tableRow {
      case .deleted: continue
      case .problem(let problem): throw rowError(path, record: table.count, problem)
      case .values: return true
      }
    }
    return false
  }

  /// Reads pairs of a shape and a row until one is not deleted; returns false at the end.
  private func takePair(
    _ shapes: ShapeRecords, _ row: inout TypedRow
  ) throws(DatasetError) -> Bool {
    while let shape = try shapes.next() {
      row.number = shapes.count
      let tablePath = table?.input.file.path ?? path
      let tableRow = try attributes(shapes, &row)
      switch (tableRow, shape) {
      case (.deleted, _): continue
      case (.problem(let problem), _):
        throw rowError(tablePath, record: shapes.count, problem)
      case (.values, .problem(let problem)):
        throw rowError(path, record: shapes.count, problem)
      case (.values, .point(let point)):
        row.point = point
        row.geometry = nil
        return true
      case (.values, .geometry(let geometry)):
        row.point = nil
        row.geometry = geometry
        return true
      }
    }
    if let table, try table.next(&row.values) != nil {
      remarks.add("the table has more rows than there are shapes; the last rows are left out")
      while try table.next(&row.values) != nil {}
    }
    return false
  }

  /// Reads the attributes of a shape; nulls where the table has no row for it.
  private func attributes(
    _ shapes: ShapeRecords, _ row: inout TypedRow
  ) throws(DatasetError) -> TableRows.Row {
    if let tableRow = try table?.next(&row.values) { return tableRow }
    if table != nil {
      remarks.add(
        "the table has fewer rows than there are shapes; the other shapes have no attributes")
    }
    row.values = Array(repeating: .null, count: fields.count)
    return .values
  }

  private func rowError(
    _ path: String, record: Int, _ problem: ShapefileProblem
  ) -> DatasetError {
    DatasetError(path: path, record: record, scope: .row, problem: .shapefile(problem))
  }

  // MARK: - Parts

  private static func encoding(_ parts: ShapefileParts) throws(DatasetError) -> TextEncoding? {
    guard let path = parts.encoding else { return nil }
    let name =
      try ShapefileParts.text(path, limitBytes: 100)
      .split(whereSeparator: \.isNewline).first.map { String($0.trimmingBlanks()) } ?? ""
    if name.isEmpty { return nil }
    guard let encoding = TextEncoding(name: name) else {
      throw DatasetError(path: path, problem: .shapefile(.encoding(name: name)))
    }
    return encoding
  }

  private static func transformation(
    _ shapes: String, _ parts: ShapefileParts, _ conversion: CoordinateConversion,
    _ remarks: ReaderNotices
  ) throws(DatasetError) -> CoordinateTransformation? {
    var system: (name: String, definitions: [String])?
    let path = parts.referenceSystem
    if conversion.system == nil, let path {
      let text = try ShapefileParts.text(path, limitBytes: WellKnownText.limitBytes)
      if text.allSatisfy(\.isWhitespace) {
        remarks.add(
          "the reference system (.prj) is empty: coordinates are longitude and latitude, or as --crs says"
        )
      } else if case .other(let name) = ReferenceSystem(wellKnownText: text) {
        system = (name, [text])
      }
    }
    return try conversion.transformation(path: path ?? shapes, system) {
      .shapefile(
        .referenceSystem(
          name: system?.name ?? "",
          command: ReferenceSystem.conversion(
            of: shapes, with: [parts.table, path].compactMap { $0 })))
    }
  }
}

// Not Sendable: every call moves the positions in the files.
@available(*, unavailable)
extension ShapefileReader: Sendable {}

extension FormatDescriptor {
  /// Shapefiles; a table of attributes alone is a Shapefile without shapes.
  static let shp = FormatDescriptor(
    name: "shp", help: "Shapefile", noun: "Shapefile", extensions: ["shp", "dbf"],
    signature: { $0.starts(with: [0, 0, 0x27, 0x0A]) }, options: [.referenceSystem],
    needsRandomAccess: true,
    reader: { settings, _ in
      TypedDataset { path throws(DatasetError) in
        try ShapefileReader(path: path, conversion: settings.conversion)
      }
    })
}

/// The paths of the files of a Shapefile, which differ only in their extensions.
struct ShapefileParts {
  /// The table of attributes; nil if there is none.
  let table: String?
  /// The file with the encoding of the table; nil if there is none.
  let encoding: String?
  /// The file with the reference system; nil if there is none.
  let referenceSystem: String?

  /// Finds the parts of a Shapefile; each may be compressed with gzip.
  ///
  /// - Parameter path: The path of the .shp file, or of the .dbf file for the table alone.
  init(path: String) {
    var stem = path
    if stem.lowercased().hasSuffix(".gz") { stem.removeLast(3) }
    let isTable = Self.isTable(path)
    if isTable || stem.lowercased().hasSuffix(".shp") { stem.removeLast(4) }
    table = isTable ? path : Self.part(stem, "dbf")
    encoding = Self.part(stem, "cpg")
    referenceSystem = Self.part(stem, "prj")
  }

  /// Returns whether a path names a .dbf file, which is read without shapes.
  static func isTable(_ path: String) -> Bool {
    let name = path.lowercased()
    return name.hasSuffix(".dbf") || name.hasSuffix(".dbf.gz")
  }

  private static func part(_ stem: String, _ ending: String) -> String? {
    for ending in [ending, ending.uppercased()] {
      for compression in ["", ".gz", ".GZ"] {
        let path = "\(stem).\(ending)\(compression)"
        if FileManager.default.fileExists(atPath: path) { return path }
      }
    }
    return nil
  }

  /// Reads the text of a part, truncated after a limit.
  static func text(_ path: String, limitBytes: Int) throws(DatasetError) -> String {
    let input = try BinaryInput(path: path)
    var bytes: [UInt8] = []
    while bytes.count <= limitBytes, let byte = try input.take(1) { bytes.append(byte[0]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
