package import CadastreColumnar
import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// Parquet files, which declare the types of their columns.
struct ParquetDataset: Dataset {
  private let selection: ParquetReader.Selection
  private let partitions: PartitionKeys
  private let conversion: CoordinateConversion
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
    conversion = settings.conversion
  }

  mutating func open(_ path: String) throws(DatasetError) -> ColumnarRecords {
    let reader = try ColumnarRecords(
      path: path, selection, partition: partition(of: path), conversion)
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

  func converter(_ target: RowTarget) throws(ImportError) -> ValueRowConverter<ColumnarRecord> {
    try ValueRowConverter(target, fields: fields ?? [])
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
  /// Creates the type of declared values; JSON text for a map whose keys are not text, and for a
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
    options: [.referenceSystem],
    needsRandomAccess: true, isReadGzipped: false,
    reader: { settings, files in ParquetDataset(settings, PartitionKeys(files.map(\.name))) },
    writer: .bytes { export, write in try export.writeParquet(write) })
}

/// A reader of the records of a Parquet file, with the values of its path.
final class ColumnarRecords: RecordReader {
  let fields: [ColumnarField]
  let hasGeometry: Bool
  /// Whether the geometries are among the selected columns.
  let readsGeometry: Bool
  let rowCount: Int
  /// Whether the file says that the edges of its geometries are great circles.
  let hasSphericalEdges: Bool
  private let path: String
  private let reader: ParquetReader
  private let partition: [ColumnarValue]

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - selection: The parts that are read.
  ///   - partition: The fields of the path and their values.
  ///   - conversion: The treatment of coordinates in other systems than WGS 84.
  /// - Throws: ``DatasetError`` if the file is invalid.
  init(
    path: String, _ selection: ParquetReader.Selection,
    partition: [(field: ColumnarField, value: Value)], _ conversion: CoordinateConversion = .none
  ) throws(DatasetError) {
    self.path = path
    let names = Set(partition.map(\.field.name))
    do throws(ColumnarError) {
      reader = try ParquetReader(try ColumnarFile(path: path), selection)
    } catch {
      throw DatasetError(path: path, error)
    }
    for (index, field) in reader.fields.enumerated() where names.contains(field.name) {
      throw DatasetError(
        path: path, problem: .repeatedColumn(name: field.name, first: 1, second: index + 1))
    }
    reader.conversion = try conversion.geometries(
      path: path, reader.readsGeometry ? reader.foreignSystem : nil,
      part: "column '\(reader.geometryName ?? "")'")
    fields =
      reader.fields.enumerated().map { index, field in
        var field = field
        field.name = HeaderNames.name(field.name, at: index)
        return field
      } + partition.map(\.field)
    self.partition = partition.map { .value($0.value) }
    hasGeometry = reader.hasGeometry
    readsGeometry = reader.readsGeometry
    rowCount = reader.rowCount
    hasSphericalEdges = reader.hasSphericalEdges
  }

  /// Returns whether a geometry is a line, a polygon or a collection.
  ///
  /// - Throws: ``DatasetError`` if the file is invalid.
  /// - Complexity: O(1) if the file declares the types of its geometries, otherwise O(n) in the
  ///   number of rows; only the geometry is read.
  func hasShapes() throws(DatasetError) -> Bool {
    if let declared = reader.declaresShapes { return declared }
    guard let name = reader.geometryName else { return false }
    var selection = ParquetReader.Selection()
    selection.columns = [name]
    do throws(ColumnarError) {
      let points = try ParquetReader(try ColumnarFile(path: path), selection)
      points.conversion = reader.conversion
      var record = ColumnarRecord()
      while try points.next(&record) {
        if record.geometry != nil { return true }
      }
      return false
    } catch {
      throw DatasetError(path: path, error)
    }
  }

  var progressBytes: Int { reader.bytesRead }
  var totalBytes: Int? { reader.size }

  func next(_ record: inout ColumnarRecord) throws(DatasetError) -> Bool {
    do throws(ColumnarError) {
      guard try reader.next(&record) else { return false }
    } catch {
      throw DatasetError(path: path, error)
    }
    record.values += partition
    return true
  }
}

extension ColumnarRecord: PositionedRecord {
  var position: RecordPosition { .record(number) }
}

extension ColumnarError: FormatProblem {
  /// The description of the error.
  package var sentence: String { description }
}

extension DatasetError.Problem {
  /// An error in a columnar file: Parquet or FlatGeobuf.
  package static func columnar(_ error: ColumnarError) -> Self { .format(AnyFormatProblem(error)) }
}

extension CoordinateConversion {
  /// Returns the conversion of the geometries of a columnar file.
  ///
  /// - Parameters:
  ///   - path: The file, for errors.
  ///   - system: The name and the definitions of its system; nil for WGS 84.
  ///   - part: The part of the file that declares the system, for errors.
  /// - Returns: The conversion.
  /// - Throws: ``DatasetError`` if the coordinates cannot be converted.
  func geometries(
    path: String, _ system: (name: String, definitions: [String])?, part: String
  ) throws(DatasetError) -> GeometryConversion {
    geometries(
      try transformation(path: path, system) {
        .columnar(
          ColumnarError(
            .corrupt(
              found: "coordinates in '\(system?.name ?? "")'",
              expected: "longitude and latitude in WGS 84, or the library PROJ, which converts "
                + "them: \(ReferenceSystem.conversion(of: path))"), part: part))
      })
  }
}

extension DatasetError {
  /// Creates the error of a columnar file.
  init(path: String, record: Int? = nil, _ error: ColumnarError) {
    let problem: Problem =
      switch error.problem {
      case .system(let number): OpenFile.problem(number)
      case .directory: .directory
      default: .columnar(error)
      }
    self.init(path: path, record: record, problem: problem)
  }
}

extension QueryPredicate {
  /// The intervals of columns that contain the values of all matching rows.
  var columnIntervals: [ColumnarInterval] {
    conjuncts.compactMap { part in
      guard case .comparison(let comparison) = part else { return nil }
      return comparison.columnInterval
    }
  }
}

extension Comparison {
  /// The interval of values that can match; nil if the comparison limits no column.
  fileprivate var columnInterval: ColumnarInterval? {
    guard case .property(let path) = left, path.names.count == 1, options.isEmpty else {
      return nil
    }
    let column = path.names[0]
    switch (operation, right) {
    case (.between, .list(let bounds)) where bounds.count == 2 && bounds.allSatisfy(\.isOrdered):
      return ColumnarInterval(column: column, lower: bounds[0], upper: bounds[1])
    case (.equal, .value(let value)) where value.isOrdered || value.type == .string:
      return ColumnarInterval(column: column, lower: value, upper: value)
    case (.less, .value(let value)) where value.isOrdered,
      (.lessOrEqual, .value(let value)) where value.isOrdered:
      return ColumnarInterval(column: column, lower: nil, upper: value)
    case (.greater, .value(let value)) where value.isOrdered,
      (.greaterOrEqual, .value(let value)) where value.isOrdered:
      return ColumnarInterval(column: column, lower: value, upper: nil)
    default: return nil
    }
  }
}

extension Value {
  /// Whether the value is a number or a date that statistics can be compared with.
  fileprivate var isOrdered: Bool {
    switch self {
    case .int, .date: true
    case .double(let number): !number.isNaN
    case .float(let number): !number.isNaN
    default: false
    }
  }
}
