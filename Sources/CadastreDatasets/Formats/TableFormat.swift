import CadastreFormatting
import CadastreModel

/// Text tables: CSV, TSV, and the dumps of GeoNames.
struct TableFormat: DatasetFormat {
  let selectsColumns = true

  private let options: CSVOptions
  private let text: TextFields
  /// The columns that are always text.
  private let codes: [String]
  /// The first file and its header, which all other files must have.
  private var first: (path: String, header: [String])?
  private let settings: ImportSettings
  /// What was changed in the header, one clause each.
  private(set) var notices: [String] = []
  private var inference: ColumnTypeInference

  /// Creates a table format with the settings of an import.
  ///
  /// - Throws: ``ImportError`` for an invalid setting.
  init(_ settings: ImportSettings, _ format: FileFormat) throws(ImportError) {
    self.settings = settings
    var options =
      switch format {
      case .geonames: GeoNames.options
      case .tsv: CSVOptions.tabSeparated
      default: CSVOptions()
      }
    try settings.table.apply(to: &options)
    self.options = options
    text = TextFields(
      nullText: settings.nullText, hasDecimalComma: settings.table.hasDecimalComma,
      dateFormat: try settings.table.dates)
    codes = format == .geonames ? GeoNames.codes : []
    inference = ColumnTypeInference(header: [])
  }

  mutating func open(_ path: String) throws(DatasetError) -> CSVReader {
    let reader = try CSVReader(path: path, options: options)
    guard let first else {
      first = (path, reader.header)
      notices = reader.notices
      inference = ColumnTypeInference(header: reader.header, text: text)
      return reader
    }
    guard reader.header == first.header else {
      throw DatasetError(
        path: path, problem: .otherColumns(found: reader.header, expected: first.header))
    }
    return reader
  }

  mutating func observe(_ record: CSVRecord) { inference.observe(record) }

  var inferredSchema: DatasetSchema {
    get throws(ImportError) {
      let (names, columns) = try selection()
      let inferred = inference.fields
      let fields = columns.map { column in
        var field = inferred[column]
        let isCode: Bool =
          if case .scalar = field.shape { codes.contains(field.name) } else { false }
        if isCode { (field.shape, field.reason) = (.scalar(.string), "codes are text") }
        field.name = names[column]
        return field
      }
      return DatasetSchema(fields: fields, hasLocation: false)
    }
  }

  func converter(_ target: RowTarget) throws(ImportError) -> TextRowConverter {
    let (names, columns) = try selection()
    return TextRowConverter(
      target, header: names, columns: columns, text: text, try transformation)
  }

  /// The conversion of the coordinates; nil for degrees.
  private var transformation: CoordinateTransformation? {
    get throws(ImportError) {
      do throws(DatasetError) {
        return try settings.conversion.transformation(path: first?.path ?? "", nil) { .missing }
      } catch {
        throw ImportError(error.description)
      }
    }
  }

  /// Returns the names of all columns, and the indexes of those that are imported.
  private func selection() throws(ImportError) -> (names: [String], columns: [Int]) {
    let names = try settings.table.renamed(first?.header ?? [])
    guard let wanted = settings.columns else { return (names, Array(names.indices)) }
    let trimmed = wanted.map { String($0.trimmingBlanks()) }
    if let unknown = trimmed.first(where: { !names.contains($0) }) {
      throw ImportError(
        "--columns: there is no column '\(printable(unknown))'; the header has \(listed(names))")
    }
    return (names, names.indices.filter { trimmed.contains(names[$0]) })
  }
}

extension CSVReader: RecordReader {
  func next(_ record: inout CSVRecord) throws(DatasetError) -> Bool { try nextRecord(&record) }
}

extension CSVRecord: PositionedRecord {
  var position: RecordPosition { .line(lineNumber) }
  var byteCount: Int { bytes.count }
}
