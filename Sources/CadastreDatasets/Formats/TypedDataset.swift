import CadastreColumnar
import CadastreFormatting
package import CadastreGeometry
package import CadastreModel

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
  /// The notices of the files of the first pass.
  private var allNotices: [ReaderNotices] = []

  /// Creates a dataset with a closure that opens files.
  init(_ opening: @escaping @Sendable (String) throws(DatasetError) -> any TypedReader) {
    self.opening = opening
  }

  mutating func open(_ path: String) throws(DatasetError) -> TypedRecords {
    let reader = try opening(path)
    if let notices = reader.notices { allNotices.append(notices) }
    hasGeometry = hasGeometry || reader.hasGeometry
    geometryName = reader.geometryName
    guard let fields else {
      fields = reader.fields
      inferences = reader.fields.map {
        DeclaredTypeInference($0.type, mayBeLocation: reader.hasGeometry ? nil : $0.name)
      }
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

  var notices: [String] { Set(allNotices.flatMap(\.clauses)).sorted() }

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
        isDay: field.isDay && inference.shape == .scalar(.date), reason: inference.reason,
        exceedsDegrees: inference.exceedsDegrees)
    }
    var schema = DatasetSchema(fields: fields, hasLocation: hasGeometry, hasShapes: hasShapes)
    schema.hasOnlyNullGeometries = hasOnlyNullGeometries
    schema.geometryName = geometryName
    schema.hasCoordinateFields = !hasGeometry
    return schema
  }

  func converter(_ target: RowTarget) throws(ImportError) -> ValueRowConverter<TypedRow> {
    try ValueRowConverter(
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

/// A reader of records with typed fields and geometries: of a Shapefile, a GeoPackage or a
/// FlatGeobuf file.
package protocol TypedReader: AnyObject {
  /// The file, as named by the caller.
  var path: String { get }
  /// The fields, in the order of their values, with distinct names.
  var fields: [TypedField] { get }
  /// Whether records may have a geometry.
  var hasGeometry: Bool { get }
  /// The name of the geometries in a selection of fields.
  var geometryName: String { get }
  /// The number of bytes of `totalBytes` that have been read.
  var progressBytes: Int { get }
  /// The size of all files of the source; nil if it is unknown.
  var totalBytes: Int? { get }
  /// The remarks about the file; nil for a reader without remarks.
  var notices: ReaderNotices? { get }

  /// Reads the next record.
  ///
  /// After an error of scope `.row` the next call reads the following record.
  ///
  /// - Parameter row: Receives the record; its memory is reused.
  /// - Returns: False at the end.
  /// - Throws: ``DatasetError``, of scope `.row` for an invalid record.
  func nextRow(_ row: inout TypedRow) throws(DatasetError) -> Bool
}

extension TypedReader {
  /// The remarks about the file; none by default.
  package var notices: ReaderNotices? { nil }

  /// Whether records may have a geometry; true by default.
  package var hasGeometry: Bool { true }

  /// The name of the geometries in a selection of fields; `geometry` by default.
  package var geometryName: String { "geometry" }
}

/// A field of a source: its name and its declared type.
package struct TypedField: Hashable, Sendable {
  /// The name, which is not empty.
  package var name: String
  /// One of `int`, `double`, `string`, `bool`, `date` and `data`.
  package var type: PropertyType
  /// Whether the field contains dates without a time of day.
  package var isDay: Bool

  /// Creates a field.
  package init(name: String, type: PropertyType, isDay: Bool = false) {
    self.name = name
    self.type = type
    self.isDay = isDay
  }
}

/// A record of a source: its values, its geometry and its number.
package struct TypedRow: Hashable, Sendable {
  /// A value for each field; in a GeoPackage it may have another type than declared.
  package var values: [Value] = []
  /// The point; nil for none and for another geometry.
  package var point: TypedPoint?
  /// The geometry; nil for none and for a point.
  package var geometry: Geometry?
  /// The number of the record in the file, from 1, including deleted records.
  package var number = 0

  /// Creates an empty record.
  package init() {}
}

/// A point in WGS 84, as in the file.
package struct TypedPoint: Hashable, Sendable {
  /// The longitude in degrees, from -180 to 180.
  package var longitude: Double
  /// The latitude in degrees, from -90 to 90.
  package var latitude: Double
  /// The altitude in metres; nil if the file has none.
  package var altitude: Double?

  /// Creates a point; an invalid altitude becomes nil.
  ///
  /// - Parameters:
  ///   - longitude: The longitude in degrees.
  ///   - latitude: The latitude in degrees.
  ///   - altitude: The altitude in metres.
  /// - Throws: ``CoordinateProblem`` if a coordinate is not finite or out of range.
  package init(
    longitude: Double, latitude: Double, altitude: Double? = nil
  ) throws(CoordinateProblem) {
    guard longitude.isFinite, latitude.isFinite, Self.isData(longitude), Self.isData(latitude)
    else { throw .notNumbers }
    let longitude = CoordinateRange.snapped(longitude, to: 180)
    let latitude = CoordinateRange.snapped(latitude, to: 90)
    guard abs(longitude) <= 180, abs(latitude) <= 90 else {
      throw .outOfRange(longitude: longitude, latitude: latitude)
    }
    self.longitude = longitude
    self.latitude = latitude
    self.altitude = altitude.flatMap { $0.isFinite && Self.isData($0) ? $0 : nil }
  }

  /// Creates a point from the coordinates of a file; a conversion other than nil converts them to
  /// degrees.
  ///
  /// - Throws: ``CoordinateProblem`` if a coordinate is not finite, out of range, or has no
  ///   counterpart in WGS 84.
  init(
    _ x: Double, _ y: Double, altitude: Double?, _ transformation: CoordinateTransformation?
  ) throws(CoordinateProblem) {
    guard let transformation else {
      try self.init(longitude: x, latitude: y, altitude: altitude)
      return
    }
    guard x.isFinite, y.isFinite, Self.isData(x), Self.isData(y) else { throw .notNumbers }
    guard let (longitude, latitude) = transformation.degrees(x, y) else {
      throw .notConverted(x: x, y: y)
    }
    try self.init(longitude: longitude, latitude: latitude, altitude: altitude)
  }

  /// Creates a point from a valid one; an altitude of 0 becomes nil.
  init(_ point: GeoPoint) {
    longitude = point.longitude
    latitude = point.latitude
    altitude = point.altitude == 0 ? nil : point.altitude
  }

  /// The point as a geometry.
  var geometry: Geometry? {
    GeoPosition(longitude: longitude, latitude: latitude, altitude: altitude).flatMap {
      try? Geometry(.point($0))
    }
  }

  /// Returns whether a number is a value; in Shapefiles numbers below -10³⁸ mean "no data".
  ///
  /// Source: ESRI, "ESRI Shapefile Technical Description", July 1998, "Numeric Types".
  private static func isData(_ number: Double) -> Bool { number >= -1e38 }
}

/// An error in the coordinates of a point.
package enum CoordinateProblem: Error, Hashable, Sendable {
  /// A coordinate is not finite.
  case notNumbers
  /// A coordinate is out of range.
  case outOfRange(longitude: Double, latitude: Double)
  /// The position has no counterpart in WGS 84.
  case notConverted(x: Double, y: Double)

  /// The error as a clause that follows the location.
  var sentence: String {
    switch self {
    case .notNumbers: "the coordinates are not numbers"
    case .notConverted(let x, let y):
      "the coordinates \(x), \(y) have no counterpart in WGS 84"
    case .outOfRange(let longitude, let latitude):
      "the coordinates are \(longitude), \(latitude); expected a longitude from -180 to 180 and a "
        + "latitude from -90 to 90 in WGS 84\(Self.hint)"
    }
  }

  /// What to do about coordinates that are no degrees.
  static let hint =
    " (--crs names another reference system of the file, --no-geometry leaves geometries out)"

  /// Returns the reason why a geometry is invalid, and what to do if coordinates are out of range.
  static func sentence(_ detail: String) -> String {
    detail.contains("expected a longitude") ? detail + hint : detail
  }
}

/// Type inference for a field with a declared type.
///
/// The values of a GeoPackage may have other types than declared, as in any SQLite file.
struct DeclaredTypeInference {
  private let declared: PropertyType
  private var counts: [PropertyType: Int] = [:]
  private var firstRecords: [PropertyType: Int] = [:]
  /// Whether a null was observed.
  private(set) var sawNull = false

  /// The inference of geometries in texts; nil for fields that do not have a name of geometries.
  private var geometries: TextTypeInference?
  /// The greatest absolute value of degrees that a field of this name has; nil for fields with other names.
  private let limit: Double?
  /// Whether the field has the name `x` or `y`, and a value is neither a longitude nor a latitude.
  private(set) var exceedsDegrees = false

  /// Whether no value was observed.
  var isEmpty: Bool { counts.isEmpty }

  /// Creates an inference of a field.
  ///
  /// - Parameters:
  ///   - declared: The declared type.
  ///   - name: The name of a field that may be a part of the location; nil in files with geometries.
  init(_ declared: PropertyType, mayBeLocation name: String?) {
    self.declared = declared
    limit = name.flatMap(LocationColumns.limit(ofShortName:))
    if let name, LocationColumns.isNameOfGeometries(name) {
      geometries = TextTypeInference([.geometry], isGeometryNamed: true)
    }
  }

  /// Observes the value of a record.
  mutating func observe(_ value: Value, record: Int) {
    guard let type = value.type else {
      sawNull = true
      return
    }
    if let limit, value.doubleValue.map({ abs($0) > limit }) ?? true { exceedsDegrees = true }
    if geometries != nil, case .string(var text) = value {
      text.withUTF8 { geometries?.observe($0, line: record) }
    }
    counts[type, default: 0] += 1
    if counts[type] == 1 { firstRecords[type] = record }
  }

  /// The declared type if all values have it, else the narrowest type of all values.
  var shape: DatasetShape {
    let types = Set(counts.keys)
    if types.isEmpty { return .nothing(declared) }
    if types == [.string], geometries?.type == .geometry { return .scalar(.geometry) }
    if types.isSubset(of: [declared]) { return .scalar(declared) }
    if types.count == 1, let only = types.first { return .scalar(only) }
    return .scalar(types.isSubset(of: [.int, .double]) ? .double : .any)
  }

  /// The reason for the type.
  var reason: String {
    let types = counts.keys.sorted { firstRecords[$0, default: 0] < firstRecords[$1, default: 0] }
    if types.isEmpty { return "declared as \(declared), and there are no values" }
    if shape == .scalar(.geometry), let geometries { return geometries.reason }
    if types == [declared] { return "declared as \(declared)" }
    let first = types.map { "a \($0) in record \(grouped(firstRecords[$0, default: 0]))" }
    return "declared as \(declared), but there is " + first.joined(separator: ", ")
  }
}
