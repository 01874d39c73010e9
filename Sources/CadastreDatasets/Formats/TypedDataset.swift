import CadastreColumnar
import CadastreModel

/// Files with declared field types: Shapefiles, GeoPackages and FlatGeobuf files.
struct TypedDataset: Dataset {
  private let opening: @Sendable (String) throws(DatasetError) -> any TypedReader
  /// The fields of the first file, which all other files must have.
  private var fields: [TypedField]?
  private var inferences: [DeclaredTypeInference] = []
  private var hasGeometry = false
  private var hasShapes = false
  private var hasOnlyNullGeometries = true
  private var geometryName = "geometry"

  /// Creates a dataset with a closure that opens files.
  init(_ opening: @escaping @Sendable (String) throws(DatasetError) -> any TypedReader) {
    self.opening = opening
  }

  mutating func open(_ path: String) throws(DatasetError) -> TypedRecords {
    let reader = try opening(path)
    hasGeometry = hasGeometry || reader.hasGeometry
    geometryName = reader.geometryName
    guard let fields else {
      fields = reader.fields
      inferences = reader.fields.map { DeclaredTypeInference($0.type) }
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
    if record.geometry != nil { hasShapes = true }
    if record.geometry != nil || record.point != nil { hasOnlyNullGeometries = false }
    for (index, value) in record.values.enumerated() {
      inferences[index].observe(value, record: record.number)
    }
  }

  var inferredSchema: DatasetSchema {
    let fields = zip(fields ?? [], inferences).map { field, inference in
      DatasetField(
        name: field.name, shape: inference.shape,
        isOptional: inference.sawNull || inference.isEmpty,
        isDay: field.isDay && inference.shape == .scalar(.date), reason: inference.reason)
    }
    var schema = DatasetSchema(fields: fields, hasLocation: hasGeometry, hasShapes: hasShapes)
    schema.hasOnlyNullGeometries = hasOnlyNullGeometries
    schema.geometryName = geometryName
    schema.hasCoordinateFields = false
    return schema
  }

  func converter(_ target: RowTarget) -> ValueRowConverter<TypedRow> {
    ValueRowConverter(
      target,
      fields: (fields ?? []).map {
        ColumnarField(name: $0.name, type: .scalar($0.type), isOptional: true)
      })
  }
}

/// A reader of typed records.
final class TypedRecords: RecordReader {
  private let reader: any TypedReader

  init(_ reader: any TypedReader) { self.reader = reader }

  var progressBytes: Int { reader.progressBytes }
  var totalBytes: Int? { reader.totalBytes }

  func next(_ record: inout TypedRow) throws(DatasetError) -> Bool {
    try reader.nextRow(&record)
  }
}

extension TypedRow: PositionedRecord {
  var position: RecordPosition { .record(number) }
}
