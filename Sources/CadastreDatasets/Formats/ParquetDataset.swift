import CadastreColumnar
import CadastreModel

/// Parquet files, which declare the types of their columns.
struct ParquetDataset: Dataset {
  private let selection: ParquetReader.Selection
  private let partitions: PartitionKeys
  /// The selected fields; nil for all.
  private let selected: Set<String>?
  /// The fields of all files; nil before the first file is opened.
  private var fields: [ColumnarField]?
  private var hasLocation = false
  private var hasCoordinateFields = true
  private var hasShapes = false
  private var hasSphericalEdges = false
  /// The files whose geometries were checked; the second pass opens them again.
  private var checked: Set<String> = []

  let declaresTypes = true
  let selectsColumns = true

  init(_ settings: ImportSettings, _ partitions: PartitionKeys) {
    var selection = ParquetReader.Selection()
    selection.columns = settings.columns.map { columns in
      columns.filter { !partitions.names.contains($0) }
    }
    selection.box = settings.readerBounds.map {
      ColumnarBox(west: $0.west, south: $0.south, east: $0.east, north: $0.north)
    }
    selection.intervals = settings.predicate?.columnIntervals ?? []
    selected = settings.columns.map(Set.init)
    self.selection = selection
    self.partitions = partitions
  }

  mutating func open(_ path: String) throws(DatasetError) -> ColumnarRecords {
    let reader = try ColumnarRecords(path: path, selection, partition: partition(of: path))
    hasLocation = hasLocation || reader.readsGeometry
    hasCoordinateFields = hasCoordinateFields && !reader.hasGeometry
    hasSphericalEdges = hasSphericalEdges || reader.hasSphericalEdges
    if !hasShapes, reader.readsGeometry, checked.insert(path).inserted {
      hasShapes = try reader.hasShapes()
    }
    guard let known = fields else {
      fields = reader.fields
      return reader
    }
    guard reader.fields.map(\.name) == known.map(\.name) else {
      throw DatasetError(
        path: path,
        problem: .otherColumns(
          found: reader.fields.map(\.name), expected: known.map(\.name)))
    }
    for (index, (field, first)) in zip(reader.fields, known).enumerated() {
      guard field.type == first.type else {
        throw DatasetError(path: path, problem: .otherTypes(column: field.name))
      }
      if field.isOptional { fields?[index].isOptional = true }
    }
    return reader
  }

  private func partition(of path: String) -> [(field: ColumnarField, value: Value)] {
    zip(partitions.names, zip(partitions.areIntegers, partitions.values(of: path))).compactMap {
      name, rest in
      guard selected?.contains(name) ?? true else { return nil }
      let (isInteger, text) = rest
      let value = text.map { isInteger ? .int(Int64($0) ?? 0) : Value.string($0) } ?? .null
      return (
        ColumnarField(
          name: name, type: .scalar(isInteger ? .int : .string), isOptional: value.isNull), value
      )
    }
  }

  func observe(_ record: ColumnarRecord) {}

  var inferredSchema: DatasetSchema {
    var schema = DatasetSchema(
      fields: (fields ?? []).map(DatasetField.init), hasLocation: hasLocation,
      hasShapes: hasShapes)
    schema.hasCoordinateFields = hasCoordinateFields
    return schema
  }

  var notices: [String] {
    guard hasSphericalEdges, hasShapes else { return [] }
    return [
      "the edges of the geometries are great circles, as in queries without --edges planar; --bbox of an "
        + "import takes them as straight lines in longitude and latitude"
    ]
  }

  func converter(_ target: RowTarget) -> ValueRowConverter<ColumnarRecord> {
    ValueRowConverter(target, fields: fields ?? [])
  }
}

extension DatasetField {
  /// Creates the field of a declared column.
  init(_ field: ColumnarField) {
    let shape = DatasetShape(field.type)
    let isText =
      if case .scalar(.string) = shape, field.type != .scalar(.string) { true } else { false }
    self.init(
      name: field.name, shape: shape, isOptional: field.isOptional,
      isDay: field.dates == .days,
      reason: isText
        ? "declared as a type without a counterpart, stored as JSON text"
        : "declared as \(shape.typeDescription)")
  }
}

extension DatasetShape {
  /// Creates the type of declared values; JSON text for a map whose keys are no text, and for a
  /// record without members.
  init(_ type: ColumnarType) {
    switch type {
    case .scalar(let type): self = .scalar(type)
    case .nothing: self = .nothing(.string)
    case .record(let fields) where !fields.isEmpty && Set(fields.map(\.name)).count == fields.count:
      self = .object(fields.map(DatasetField.init))
    case .list(let element, let isOptional):
      self = .list(DatasetShape(element), isOptional: isOptional)
    case .map(.scalar(.string), let value, let isOptional):
      self = .map(DatasetShape(value), isOptional: isOptional)
    case .record, .map: self = .scalar(.string)
    }
  }
}

extension FormatDescriptor {
  /// Parquet files, with geometries GeoParquet files.
  package static let parquet = FormatDescriptor(
    name: "parquet", help: "Parquet, GeoParquet", noun: "Parquet file",
    extensions: ["parquet", "geoparquet"], signature: { $0.starts(with: Array("PAR1".utf8)) },
    needsRandomAccess: true, isReadGzipped: false,
    reader: { settings, files in ParquetDataset(settings, PartitionKeys(files.map(\.name))) },
    writer: .bytes { export, write in try export.writeParquet(write) })
}
