import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastreStore

/// A converter of JSON objects to rows.
struct JSONRowConverter: RecordConverter {
  let properties: [Int]
  private var names: JSONNameIndex
  private let steps: [FieldStep]
  private let members: JSONMembers
  private let geometryColumns: GeometryColumns?
  private let geometryIndex: Int?
  private let imported: ImportedClass
  private let conversion: CoordinateConversion
  /// The conversion of coordinates in fields; nil for degrees.
  private let transformation: CoordinateTransformation?
  private let empty: ImportRow
  /// Whether the current record has the field, for each field.
  private var named: [Bool] = []

  init(_ target: RowTarget, names: [String]) throws(ImportError) {
    conversion = target.conversion
    transformation = try target.fieldTransformation
    self.names = JSONNameIndex(names)
    geometryColumns = target.geometryColumns
    geometryIndex = target.geometryIndex
    imported = target.imported
    empty = ImportRow(columns: target.layout.columns.count)
    let (steps, indexes) = target.steps
    let fields = zip(names, steps).compactMap { name, step in
      if case .property = step { name } else { nil }
    }
    members = JSONMembers(
      zip(fields, indexes).map { ($0, $1) }, target.layout.schema, target.layout.fields,
      target.catalogue)
    members.remarks = target.conversion.remarks
    properties = target.filled(by: indexes)
    self.steps = steps
  }

  mutating func row(_ record: JSONRecord) throws(Rejection) -> ImportRow {
    // Features of other notations than GeoJSON have no conversion of their own.
    guard conversion.wrapsLongitudes, record.transformation == nil else {
      return try converted(record)
    }
    var wrapped = record
    wrapped.transformation = .wrapping
    return try converted(wrapped)
  }

  private mutating func converted(_ record: JSONRecord) throws(Rejection) -> ImportRow {
    let parts = GeoJSONParts(record)
    guard !parts.isCollection else {
      throw Rejection(
        reason: "found a FeatureCollection among the records; expected it alone in a file")
    }
    var row = empty
    var degrees = LocationFields()
    var presence = members.begin(&row)
    names.rewind()
    named = Array(repeating: false, count: steps.count)
    try parts.forEachField(of: record) { (name, value) throws(Rejection) in
      guard let index = names.index(record, name) else {
        throw Rejection(
          field: record.text(name),
          reason: "'\(printable(record.text(name)))' did not exist in the first pass; the file has "
            + "changed")
      }
      named[index] = true
      switch steps[index] {
      case .property(let slot): try members.set(slot, record, value, &row, &presence)
      case .degrees(let axis): degrees[axis] = try self.degrees(record, index, value, axis)
      case .wkt:
        guard let point = try point(record, index, value) else { return }
        (degrees[.longitude], degrees[.latitude]) = (point.longitude, point.latitude)
      case .ignored: return
      }
    }
    markAbsence(parts, &row, &presence)
    try members.end(presence, &row)
    if let transformation { try degrees.convert(transformation) }
    try setGeometry(record, parts, degrees, &row)
    return row
  }

  /// Marks the properties that the current record lacks: a new object has no values of them, and a
  /// stored object keeps its values.
  private func markAbsence(
    _ parts: GeoJSONParts, _ row: inout ImportRow, _ presence: inout JSONMembers.Presence
  ) {
    var hasGeometry = parts.namesGeometry
    for (step, isNamed) in zip(steps, named) {
      switch step {
      case .property(let slot) where !isNamed:
        presence[slot] = true
        row.absent.append(properties[slot])
      case .degrees, .wkt: hasGeometry = hasGeometry || isNamed
      case .property, .ignored: break
      }
    }
    if let geometryIndex, !hasGeometry { row.absent.append(geometryIndex) }
  }

  private func setGeometry(
    _ record: JSONRecord, _ parts: GeoJSONParts, _ degrees: LocationFields,
    _ row: inout ImportRow
  ) throws(Rejection) {
    guard let geometryColumns else { return }
    if let node = parts.geometry {
      if case .point(let embedded) = geometryColumns,
        imported.geometryUse != .centroid || !JSONGeometry.isShape(record, node)
      {
        if let point = try JSONPoint.coordinates(record, node, "geometry", isGeometry: true) {
          embedded.write(
            longitude: point.longitude, latitude: point.latitude, altitude: point.altitude,
            to: &row)
        }
      } else {
        let geometry = try JSONGeometry.geometry(
          record, node, conversion.geometries(record.transformation))
        try geometryColumns.write(geometry, imported, to: &row)
      }
    }
    try degrees.write(to: &row, in: geometryColumns)
  }

  private func degrees(
    _ record: JSONRecord, _ index: Int, _ node: Int, _ axis: Axis
  ) throws(Rejection) -> Double? {
    switch record[node].kind {
    case .null: return nil
    case .integer, .number, .string:
      if let degrees = record.withText(node, FieldParsing.double) {
        let snapped = CoordinateRange.snapped(degrees, to: axis.limit)
        if transformation != nil || abs(snapped) <= axis.limit { return snapped }
      }
    default: break
    }
    throw Rejection(
      names.names[index],
      "expected degrees from -\(Int(axis.limit)) to "
        + "\(Int(axis.limit)), found \(JSONMembers.quoted(record, node))"
        + (axis == .longitude ? " (--wrap takes up to ±540)" : ""))
  }

  private func point(
    _ record: JSONRecord, _ index: Int, _ node: Int
  ) throws(Rejection) -> GeoPoint? {
    if record[node].kind == .null { return nil }
    return try PointText.point(record.text(node), field: names.names[index])
  }
}

/// Conversion of JSON nodes to values.
enum JSONConversion {
  /// Returns the value of a node as a type; nil if it cannot be converted.
  static func value(_ record: JSONRecord, _ node: Int, _ type: PropertyType) -> Value? {
    if type == .any { return any(record, node, levels: Value.maximumDepth) }
    switch record[node].kind {
    case .null, .array: return nil
    case .true, .false:
      let isTrue = record[node].kind == .true
      return type == .bool ? .bool(isTrue) : type == .string ? .string("\(isTrue)") : nil
    case .integer, .number:
      return record.withText(node) { TextValue.value($0, type) ?? integer($0, type) }
    case .string: return record.withText(node) { TextValue.value($0, type) }
    case .object:
      return ExtendedJSON(record, node)?.value(record, type)
    }
  }

  /// Returns an integer that is written with a zero fraction or an exponent.
  private static func integer(
    _ text: UnsafeBufferPointer<UInt8>, _ type: PropertyType
  ) -> Value? {
    guard type == .int, let number = FieldParsing.double(text) else { return nil }
    return Int64(exactly: number).map(Value.int)
  }

  /// Returns a mixed value; nil if it is nested too deeply or a number is out of range.
  private static func any(_ record: JSONRecord, _ node: Int, levels: Int) -> Value? {
    switch record[node].kind {
    case .null: return .null
    case .true: return .bool(true)
    case .false: return .bool(false)
    case .string: return .string(record.text(node))
    case .number: return record.withText(node, FieldParsing.double).map(Value.double)
    case .integer:
      return record.withText(node) { text in
        TextValue.value(text, .int) ?? TextValue.value(text, .decimal128)
      }
    case .array:
      guard levels > 0 else { return nil }
      var elements: [Value] = []
      for element in record.elements(of: node) {
        guard let value = any(record, element, levels: levels - 1) else { return nil }
        elements.append(value)
      }
      return .list(elements)
    case .object:
      if let extended = ExtendedJSON(record, node),
        let value = extended.value(record, extended.type)
      {
        return value
      }
      guard levels > 0 else { return nil }
      var entries: [(String, Value)] = []
      for (name, member) in record.members(of: node) {
        guard let value = any(record, member, levels: levels - 1) else { return nil }
        entries.append((mapKey(record.text(name)), value))
      }
      return .map(ValueMap(entries))
    }
  }

  /// Returns the name that gave a key of a map by ``mapKey(_:)``.
  static func name(ofMapKey key: String) -> String {
    guard key.utf8.contains(UInt8(ascii: "%")) else { return key }
    let name = key.hasPrefix("%24") ? "$" + key.dropFirst(3) : key
    return name.replacing(/%2E|%25(?=2E|24|25)/) { $0.output == "%2E" ? "." : "%" }
  }

  /// Returns the key of a map for a name; full stops and a leading `$`, which are invalid in keys,
  /// are percent-encoded, and so is a `%` before the digits of one.
  static func mapKey(_ name: String) -> String {
    var key = name
    if name.utf8.contains(UInt8(ascii: "%")) {
      key = key.replacing(/%(?=2E|24|25)/, with: "%25")
    }
    key = key.replacing(".", with: "%2E")
    guard key.utf8.first == UInt8(ascii: "$") else { return key }
    return "%24" + String(key.unicodeScalars.dropFirst())
  }
}
