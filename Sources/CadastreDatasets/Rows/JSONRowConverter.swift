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
  private let place: PlaceColumns?
  private let placeIndex: Int?
  private let imported: ImportedClass
  private let empty: ImportRow
  /// For each field whether the current record names it.
  private var named: [Bool] = []

  init(_ target: RowTarget, names: [String]) {
    self.names = JSONNameIndex(names)
    place = target.place
    placeIndex = target.placeIndex
    imported = target.imported
    empty = ImportRow(columns: target.layout.columns.count)
    let (steps, indexes) = target.steps
    let fields = zip(names, steps).compactMap { name, step in
      if case .property = step { name } else { nil }
    }
    members = JSONMembers(
      zip(fields, indexes).map { ($0, $1) }, target.layout.schema, target.layout.fields,
      target.catalogue)
    properties = target.filled(by: indexes)
    self.steps = steps
  }

  mutating func row(_ record: JSONRecord) throws(Rejection) -> ImportRow {
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
    noteAbsence(parts, &row, &presence)
    try members.end(presence, &row)
    try setPlace(record, parts, degrees, &row)
    return row
  }

  /// Notes the properties that the current record does not name; a new object lacks them, and a stored one keeps
  /// them.
  private func noteAbsence(
    _ parts: GeoJSONParts, _ row: inout ImportRow, _ presence: inout JSONMembers.Presence
  ) {
    var namesPlace = parts.namesGeometry
    for (step, isNamed) in zip(steps, named) {
      switch step {
      case .property(let slot) where !isNamed:
        presence[slot] = true
        row.absent.append(properties[slot])
      case .degrees, .wkt: namesPlace = namesPlace || isNamed
      case .property, .ignored: break
      }
    }
    if let placeIndex, !namesPlace { row.absent.append(placeIndex) }
  }

  private func setPlace(
    _ record: JSONRecord, _ parts: GeoJSONParts, _ degrees: LocationFields,
    _ row: inout ImportRow
  ) throws(Rejection) {
    guard let place else { return }
    if let node = parts.geometry {
      if case .point(let embedded) = place,
        imported.geometryUse != .centroid || !JSONGeometry.isShape(record, node)
      {
        if let point = try JSONPoint.coordinates(record, node, "geometry", isGeometry: true) {
          embedded.write(
            longitude: point.longitude, latitude: point.latitude, altitude: point.altitude,
            to: &row)
        }
      } else {
        try place.write(try JSONGeometry.geometry(record, node), imported, to: &row)
      }
    }
    try degrees.write(to: &row, in: place)
  }

  private func degrees(
    _ record: JSONRecord, _ index: Int, _ node: Int, _ axis: Axis
  ) throws(Rejection) -> Double? {
    switch record[node].kind {
    case .null: return nil
    case .integer, .number, .string:
      if let degrees = record.withText(node, FieldParsing.double), abs(degrees) <= axis.limit {
        return degrees
      }
    default: break
    }
    throw Rejection(
      field: names.names[index],
      reason: "'\(printable(names.names[index]))': expected degrees from -\(Int(axis.limit)) to "
        + "\(Int(axis.limit)), found \(JSONMembers.quoted(record, node))")
  }

  private func point(
    _ record: JSONRecord, _ index: Int, _ node: Int
  ) throws(Rejection) -> GeoPoint? {
    if record[node].kind == .null { return nil }
    return try PointText.point(record.text(node), field: names.names[index])
  }
}
