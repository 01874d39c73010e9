/// Reads the points of a Shapefile record by record, in fixed memory.
///
///     let reader = try ShapefileReader(path: "cities.shp")
///     var row = TypedRow()
///     while try reader.nextRow(&row) { … }
///
/// `cities.dbf` must lie beside it. Texts are in the encoding that `cities.cpg` names, or else the
/// language driver byte of the table, or else in UTF-8 where that is valid and in Windows-1252 where
/// it is not. Without `cities.prj`, coordinates are taken for longitude and latitude on WGS 84.
/// A text of blanks only is null, as blanks are what a shorter text is filled up with. Records that
/// are marked as deleted are passed over together with their shapes. Memos are refused by name.
package final class ShapefileReader: TypedReader {
  package let path: String
  package let fields: [TypedField]
  private let shapes: ShapeRecords
  private let table: TableRows
  private var isFinished = false

  /// Opens a Shapefile by the name of its .shp or .shp.gz file.
  ///
  /// - Throws: Why it cannot be read, what in it is not points on WGS 84, or what its table holds
  ///   that is not read.
  package init(path: String) throws(DatasetError) {
    self.path = path
    shapes = try ShapeRecords(path: path)
    let parts = try ShapefileParts(shapes: path)
    try Self.checkReferenceSystem(parts)
    table = try TableRows(path: parts.table, encoding: Self.encoding(parts))
    fields = table.header.fields.map { TypedField(name: $0.name, type: $0.type) }
  }

  package var progressBytes: Int {
    shapes.input.file.bytesConsumed + table.input.file.bytesConsumed
  }

  package var totalBytes: Int? {
    guard let first = shapes.input.file.totalBytes, let second = table.input.file.totalBytes
    else { return nil }
    return first + second
  }

  package func nextRow(_ row: inout TypedRow) throws(DatasetError) -> Bool {
    guard !isFinished else { return false }
    do throws(DatasetError) {
      isFinished = try !takeRow(&row)
      return !isFinished
    } catch {
      isFinished = error.scope == .file
      throw error
    }
  }

  /// Steps over one shape and one row of the table at a time, until one is not deleted.
  private func takeRow(_ row: inout TypedRow) throws(DatasetError) -> Bool {
    while let shape = try shapes.next() {
      row.number = shapes.count
      let tablePath = table.input.file.path
      guard let found = try table.next(&row.values) else {
        throw DatasetError(
          path: tablePath, problem: .shapefile(.missingRows(rows: table.count)))
      }
      switch (found, shape) {
      case (.deleted, _): continue
      case (.problem(let problem), _):
        throw rowError(tablePath, problem)
      case (.values, .problem(let problem)): throw rowError(path, problem)
      case (.values, .place(let place)):
        row.place = place
        return true
      }
    }
    guard try table.next(&row.values) == nil else {
      throw DatasetError(
        path: table.input.file.path,
        problem: .shapefile(
          .missingShapes(shapes: shapes.count, rows: table.header.rowCount)))
    }
    return false
  }

  private func rowError(_ path: String, _ problem: ShapefileProblem) -> DatasetError {
    DatasetError(
      path: path, record: shapes.count, scope: .row, problem: .shapefile(problem))
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

  private static func checkReferenceSystem(_ parts: ShapefileParts) throws(DatasetError) {
    guard let path = parts.referenceSystem else { return }
    let text = try ShapefileParts.text(path, limitBytes: WellKnownText.limitBytes)
    guard case .other(let name) = ReferenceSystem(wellKnownText: text) else { return }
    throw DatasetError(
      path: path,
      problem: .shapefile(
        .referenceSystem(
          name: name,
          command: ReferenceSystem.conversion(of: parts.shapes, with: [parts.table, path]))))
  }
}

// Not Sendable: every call moves its place in the files.
@available(*, unavailable)
extension ShapefileReader: Sendable {}
