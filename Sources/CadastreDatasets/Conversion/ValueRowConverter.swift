import CadastreColumnar
import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastreStore

/// A record with typed values: of a Parquet file, a Shapefile, a GeoPackage or a FlatGeobuf file.
protocol ValueRecord {
  /// The number of values.
  var valueCount: Int { get }
  /// The geometry; nil if it is null, empty or a point.
  var geometry: Geometry? { get }
  /// The reason why the geometry is invalid; nil if it is valid or null.
  var geometryProblem: String? { get }

  /// Returns the value of a field.
  func value(ofField index: Int) -> ColumnarValue

  /// Writes the value of a field to the property of a slot.
  func write(
    field index: Int, to slot: Int, of members: ValueMembers, _ row: inout ImportRow
  ) throws(Rejection)

  /// Returns the point as it is stored in a column; nil if the geometry is null, empty or no point.
  func point(in columns: GeometryColumns) throws(Rejection) -> TypedPoint?
}

extension ColumnarRecord: ValueRecord {
  var valueCount: Int { values.count }

  func value(ofField index: Int) -> ColumnarValue { values[index] }

  func write(
    field index: Int, to slot: Int, of members: ValueMembers, _ row: inout ImportRow
  ) throws(Rejection) {
    try members.set(slot, values[index], &row)
  }

  /// Returns the point in degrees; an embedded one has no altitude of 0.
  func point(in columns: GeometryColumns) throws(Rejection) -> TypedPoint? {
    guard let point else { return nil }
    do throws(CoordinateProblem) {
      var typed = try TypedPoint(longitude: point.x, latitude: point.y, altitude: point.z)
      if case .point = columns, typed.altitude == 0 { typed.altitude = nil }
      return typed
    } catch {
      throw Rejection(field: ImportedClass.geometryName, reason: error.sentence)
    }
  }
}

extension TypedRow: ValueRecord {
  var valueCount: Int { values.count }
  var geometryProblem: String? { nil }

  func value(ofField index: Int) -> ColumnarValue { .value(values[index]) }

  func write(
    field index: Int, to slot: Int, of members: ValueMembers, _ row: inout ImportRow
  ) throws(Rejection) {
    try members.set(slot, values[index], &row)
  }

  func point(in columns: GeometryColumns) -> TypedPoint? { point }
}

/// A converter of records with typed values to rows.
struct ValueRowConverter<Record: ValueRecord>: RecordConverter {
  let properties: [Int]
  private let names: [String]
  private let steps: [FieldStep]
  private let members: ValueMembers
  private let geometryColumns: GeometryColumns?
  private let imported: ImportedClass
  /// The columns of the properties with geometries besides that of the records, and their names.
  private let geometries: [(column: Int, name: String)]
  /// The conversion of coordinates in fields; nil for degrees.
  private let transformation: CoordinateTransformation?
  private let empty: ImportRow

  init(_ target: RowTarget, fields: [ColumnarField]) throws(ImportError) {
    transformation = try target.fieldTransformation
    geometryColumns = target.geometryColumns
    imported = target.imported
    names = fields.map(\.name)
    let (steps, indexes) = target.steps
    let stored = zip(fields, steps).compactMap { field, step in
      if case .property = step { field } else { nil }
    }
    members = ValueMembers(
      zip(stored, indexes).map { ($0, $1) }, target.layout.schema, target.layout.fields,
      target.catalogue)
    members.remarks = target.conversion.remarks
    properties = target.filled(by: indexes)
    geometries = indexes.compactMap { index in
      let property = target.layout.schema.properties[index]
      guard property.type == .geometry, case .scalar(let column) = target.layout.fields[index]
      else { return nil }
      return (column, property.name)
    }
    self.steps = steps
    var empty = ImportRow(columns: target.layout.columns.count)
    members.begin(&empty)
    self.empty = empty
  }

  func row(_ record: Record) throws(Rejection) -> ImportRow {
    var row = empty
    var degrees = LocationFields()
    for index in 0..<min(steps.count, record.valueCount) {
      switch steps[index] {
      case .property(let slot): try record.write(field: index, to: slot, of: members, &row)
      case .degrees(let axis):
        degrees[axis] = try self.degrees(record.value(ofField: index), axis, names[index])
      case .wkt:
        let value = record.value(ofField: index)
        guard let point = try Self.point(value, names[index]) else { continue }
        (degrees[.longitude], degrees[.latitude]) = (point.longitude, point.latitude)
      case .ignored: continue
      }
    }
    if let transformation { try degrees.convert(transformation) }
    if let problem = record.geometryProblem {
      throw Rejection(
        field: ImportedClass.geometryName,
        reason: "the geometry is invalid: \(CoordinateProblem.sentence(problem))")
    }
    for (column, name) in geometries {
      guard case .geometry(let shape) = row.values[column] else { continue }
      row.values[column] = .geometry(try imported.invalidShapes.checked(shape, field: name))
    }
    if let geometryColumns {
      if let shape = record.geometry {
        try geometryColumns.write(shape, imported, to: &row)
      } else if let point = try record.point(in: geometryColumns) {
        geometryColumns.write(point, to: &row)
      }
      try degrees.write(to: &row, in: geometryColumns)
    }
    return row
  }

  private static func point(
    _ value: ColumnarValue, _ name: String
  ) throws(Rejection) -> GeoPoint? {
    if value.isNull { return nil }
    guard case .value(.string(let text)) = value else {
      throw Rejection(name, "expected a point in WKT")
    }
    return try PointText.point(text, field: name)
  }

  private func degrees(
    _ value: ColumnarValue, _ axis: Axis, _ name: String
  ) throws(Rejection) -> Double? {
    if value.isNull { return nil }
    guard case .value(let found) = value, let degrees = found.doubleValue, degrees.isFinite else {
      throw Rejection(name, "expected degrees")
    }
    if transformation == nil, let problem = axis.error(degrees, quoted: "\(degrees)") {
      throw Rejection(field: name, reason: problem)
    }
    return degrees
  }
}

/// Lossless conversion of values between types.
enum TypedValue {
  /// Converts a value to a type; nil if it cannot be converted.
  static func value(_ value: Value, _ type: PropertyType) -> Value? {
    if value.type == type || type == .any { return value }
    switch (value, type) {
    case (.int(let number), .double):
      return Double(exactly: number).map(Value.double)
    case (.int(let number), .bool): return number == 0 || number == 1 ? .bool(number == 1) : nil
    case (.double(let number), .float): return .float(Float(number))
    case (.double(let number), .int): return Int64(exactly: number).map(Value.int)
    case (.bool(let isTrue), .int): return .int(isTrue ? 1 : 0)
    case (.int, _), (.double, _), (.bool, _), (.string, _), (.date, .string):
      // Other conversions use the text, which is exact for numbers.
      var text = FieldText.plain(.value(value))
      return text.withUTF8 { TextValue.value($0, type) }
    default: return nil
    }
  }

  /// Converts a value to the type of a property.
  ///
  /// - Parameters:
  ///   - value: The value of a field.
  ///   - property: The property.
  ///   - name: The name of the field.
  /// - Returns: The stored value.
  /// - Throws: ``Rejection`` if the value cannot be converted, or is null and required.
  static func stored(
    _ value: Value, in property: Property, field name: String
  ) throws(Rejection) -> Value {
    let type = property.type
    if value.isNull {
      if property.isOptional || type == .any { return .null }
      if type == .string { return .string("") }
      throw Rejection(
        field: name,
        reason: "'\(printable(name))' is null; expected \(articled(type)), which is required")
    }
    if let converted = self.value(value, type) { return converted }
    throw Rejection(
      name,
      "expected \(articled(type)), found "
        + "'\(printable(FieldText.plain(.value(value)).prefix(60)))'")
  }
}
