import CadastreModel

/// Files whose fields have declared types: Shapefiles and GeoPackages.
struct TypedFormat: DatasetFormat {
  private let opening: @Sendable (String) throws(DatasetError) -> any TypedReader
  /// The fields of the first file, which the others must share.
  private var fields: [TypedField]?
  private var evidence: [DeclaredTypeInference] = []

  /// Reads files that a closure opens.
  init(_ opening: @escaping @Sendable (String) throws(DatasetError) -> any TypedReader) {
    self.opening = opening
  }

  mutating func open(_ path: String) throws(DatasetError) -> TypedRecords {
    let reader = try opening(path)
    guard let fields else {
      fields = reader.fields
      evidence = reader.fields.map { DeclaredTypeInference($0.type) }
      return TypedRecords(reader)
    }
    guard reader.fields.map(\.name) == fields.map(\.name) else {
      throw DatasetError(
        path: path,
        problem: .otherColumns(
          found: reader.fields.map(\.name), expected: fields.map(\.name)))
    }
    return TypedRecords(reader)
  }

  mutating func observe(_ record: TypedRow) {
    for (index, value) in record.values.enumerated() {
      evidence[index].observe(value, record: record.number)
    }
  }

  var inferredSchema: DatasetSchema {
    let fields = zip(fields ?? [], evidence).map { field, evidence in
      DatasetField(
        name: field.name, shape: evidence.shape,
        isOptional: evidence.sawNull || evidence.isEmpty, reason: evidence.reason)
    }
    return DatasetSchema(fields: fields, hasPlace: true)
  }

  func converter(_ target: RowTarget) -> TypedRowConverter {
    TypedRowConverter(target, names: fields?.map(\.name) ?? [])
  }
}

/// The records of a typed source.
final class TypedRecords: RecordReader {
  private let reader: any TypedReader

  init(_ reader: any TypedReader) { self.reader = reader }

  var progressBytes: Int { reader.progressBytes }
  var totalBytes: Int? { reader.totalBytes }

  func next(_ record: inout TypedRow) throws(DatasetError) -> Bool {
    try reader.nextRow(&record)
  }
}

extension TypedRow: PlacedRecord {
  var recordPlace: RecordPlace { .record(number) }
}
