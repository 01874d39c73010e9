import CadastreModel

/// Text tables: CSV, TSV, and the dumps of GeoNames.
struct TableFormat: DatasetFormat {
  private let options: CSVOptions
  private let text: TextFields
  /// The columns that are always text.
  private let codes: [String]
  /// The first file and its header, which all other files must have.
  private var first: (path: String, header: [String])?
  private var inference: ColumnTypeInference

  /// Creates a table format with the settings of an import.
  init(_ settings: ImportSettings, _ format: FileFormat) {
    var options =
      switch format {
      case .geonames: GeoNames.options
      case .tsv: CSVOptions.tabSeparated
      default: CSVOptions()
      }
    options.hasHeader = settings.hasHeader
    self.options = options
    text = TextFields(nullText: settings.nullText, hasDecimalComma: settings.hasDecimalComma)
    codes = format == .geonames ? GeoNames.codes : []
    inference = ColumnTypeInference(header: [])
  }

  mutating func open(_ path: String) throws(DatasetError) -> CSVReader {
    let reader = try CSVReader(path: path, options: options)
    // A longer header would be an error after both passes over the file.
    guard reader.header.count <= SchemaRules.maximumColumns else {
      throw DatasetError(
        path: path,
        problem: .tooManyColumns(
          found: reader.header.count, maximum: SchemaRules.maximumColumns))
    }
    guard let first else {
      first = (path, reader.header)
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
    let fields = inference.fields.map { field in
      guard codes.contains(field.name), case .scalar = field.shape else { return field }
      return DatasetField(
        name: field.name, shape: .scalar(.string), isOptional: field.isOptional,
        reason: "codes are text")
    }
    return DatasetSchema(fields: fields, hasLocation: false)
  }

  func converter(_ target: RowTarget) -> TextRowConverter {
    TextRowConverter(target, header: first?.header ?? [], text: text)
  }
}

extension CSVReader: RecordReader {
  func next(_ record: inout CSVRecord) throws(DatasetError) -> Bool { try nextRecord(&record) }
}

extension CSVRecord: PositionedRecord {
  var position: RecordPosition { .line(lineNumber) }
}
