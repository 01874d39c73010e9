import CadastreFormatting
import CadastreModel

/// Text tables: CSV, TSV, and the dumps of GeoNames.
struct TableDataset: Dataset {
  let selectsColumns = true

  private let options: CSVOptions
  private let text: TextFields
  /// The columns that are always text.
  private let codes: [String]
  /// The first file and its header, which all other files must have.
  private var first: (path: String, header: [String])?
  private let settings: ImportSettings
  /// The changes of the first header, one clause each.
  private var headerNotices: [String] = []
  /// The remarks about the files of the first pass.
  private var remarks: [ReaderNotices] = []
  private var inference: ColumnTypeInference

  /// Creates a dataset of tables.
  ///
  /// - Parameters:
  ///   - settings: The settings of the import.
  ///   - options: The syntax of the format, which the settings change.
  ///   - codes: The columns that are always text.
  /// - Throws: ``ImportError`` for an invalid setting.
  init(
    _ settings: ImportSettings, _ options: CSVOptions, codes: [String] = []
  ) throws(ImportError) {
    self.settings = settings
    self.codes = codes
    var options = options
    try settings.table.apply(to: &options)
    if settings.columns != nil { options.columnLimit = CSVOptions.maximumColumns }
    self.options = options
    text = TextFields(
      nullTexts: settings.nullTexts, hasDecimalComma: settings.table.hasDecimalComma,
      dateFormat: try settings.table.dates)
    inference = ColumnTypeInference(header: [])
  }

  mutating func open(_ path: String) throws(DatasetError) -> CSVReader {
    let reader = try CSVReader(path: path, options: options)
    remarks.append(reader.remarks)
    guard let first else {
      first = (path, reader.header)
      headerNotices = reader.notices
      inference = ColumnTypeInference(header: reader.header, text: text)
      return reader
    }
    guard reader.header == first.header else {
      throw DatasetError(
        path: path, problem: .otherColumns(found: reader.header, expected: first.header))
    }
    return reader
  }

  var notices: [String] { headerNotices + Set(remarks.flatMap(\.clauses)).sorted() }

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
      var schema = DatasetSchema(fields: fields, hasLocation: false)
      schema.hasRenamedFields = true
      return schema
    }
  }

  func converter(_ target: RowTarget) throws(ImportError) -> TextRowConverter {
    let (names, columns) = try selection()
    return try TextRowConverter(target, header: names, columns: columns, text: text)
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
  var position: RecordPosition { .line(lineNumber, column: nil) }
  var byteCount: Int { bytes.count }
}

// MARK: - Formats

extension FormatDescriptor {
  /// Tables with a detected delimiter; written tables have commas.
  package static let csv = FormatDescriptor(
    name: "csv", help: "CSV", noun: "text table", extensions: ["csv"],
    options: [.table, .referenceSystem],
    reader: { settings, _ in try TableDataset(settings, CSVOptions()) }, writer: .text(.csv))

  /// Tables with tabs.
  package static let tsv = FormatDescriptor(
    name: "tsv", help: "TSV", noun: "text table", extensions: ["tsv", "tab"],
    options: [.table, .referenceSystem],
    reader: { settings, _ in try TableDataset(settings, .tabSeparated) }, writer: .text(.tsv))

  /// The dumps of GeoNames.
  static let geonames = FormatDescriptor(
    name: "geonames", help: "the dumps of GeoNames", noun: "text table", signature: GeoNames.isDump,
    options: [.table],
    reader: { settings, _ in
      try TableDataset(settings, GeoNames.options, codes: GeoNames.codes)
    })
}

/// The dumps of GeoNames: tab-separated tables without header and quotes.
///
/// Source: the readme file of the dumps, download.geonames.org/export/dump.
enum GeoNames {
  /// The columns of the main table.
  static let columns = [
    "geonameid", "name", "asciiname", "alternatenames", "latitude", "longitude", "feature_class",
    "feature_code", "country_code", "cc2", "admin1_code", "admin2_code", "admin3_code",
    "admin4_code", "population", "elevation", "dem", "timezone", "modification_date",
  ]

  /// The columns that are always text, because codes look like numbers in some countries.
  static let codes = ["admin1_code", "admin2_code", "admin3_code", "admin4_code", "cc2"]

  /// The syntax of the table.
  static var options: CSVOptions {
    var options = CSVOptions()
    options.delimiter = UInt8(ascii: "\t")
    options.quote = nil
    options.columns = columns
    return options
  }

  /// Returns whether a file begins with a line of a dump.
  static func isDump(_ content: [UInt8]) -> Bool {
    let line = content.prefix { $0 != UInt8(ascii: "\n") }
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard fields.count == columns.count else { return false }
    return [0, 4, 5].allSatisfy { index in
      Array(fields[index]).withUnsafeBufferPointer { FieldParsing.double($0) != nil }
    }
  }
}
