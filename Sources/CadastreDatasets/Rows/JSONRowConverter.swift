import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastreStore

/// A converter of JSON objects to rows.
struct JSONRowConverter: RecordConverter {
  private enum Step {
    case slot(Int)
    case degrees(Axis)
    case wkt
  }

  let properties: [Int]
  private var names: JSONNameIndex
  private let steps: [Step]
  private let members: JSONMembers
  private let location: EmbeddedLayout?
  private let geometry: Int?
  private let geometryUse: GeometryUse
  private let invalidShapes: InvalidShapes
  private let empty: ImportRow

  init(_ target: RowTarget, names: [String]) {
    self.names = JSONNameIndex(names)
    location = target.location
    geometry = target.geometry
    geometryUse = target.imported.geometryUse
    invalidShapes = target.imported.invalidShapes
    empty = ImportRow(columns: target.layout.columns.count)
    var properties: [Int] = []
    var fields: [String] = []
    var steps: [Step] = []
    for (name, destination) in zip(names, target.imported.targets) {
      switch destination {
      case .longitude: steps.append(.degrees(.longitude))
      case .latitude: steps.append(.degrees(.latitude))
      case .wkt: steps.append(.wkt)
      case .property(let property):
        steps.append(.slot(fields.count))
        properties.append(target.property(property).index)
        fields.append(name)
      }
    }
    members = JSONMembers(
      zip(fields, properties).map { ($0, $1) }, target.layout.schema, target.layout.fields,
      target.catalogue)
    self.properties = target.filled(by: properties)
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
    try parts.forEachField(of: record) { (name, value) throws(Rejection) in
      guard let index = names.index(record, name) else {
        throw Rejection(
          field: record.text(name),
          reason: "'\(printable(record.text(name)))' did not exist in the first pass; the file has "
            + "changed")
      }
      switch steps[index] {
      case .slot(let slot): try members.set(slot, record, value, &row, &presence)
      case .degrees(let axis): degrees[axis] = try self.degrees(record, index, value, axis)
      case .wkt:
        guard let point = try point(record, index, value) else { return }
        (degrees[.longitude], degrees[.latitude]) = (point.longitude, point.latitude)
      }
    }
    try members.end(presence, &row)
    try setLocation(record, parts, degrees, &row)
    return row
  }

  private func setLocation(
    _ record: JSONRecord, _ parts: GeoJSONParts, _ degrees: LocationFields,
    _ row: inout ImportRow
  ) throws(Rejection) {
    if let column = geometry {
      guard let node = parts.geometry else { return }
      let shape = try JSONGeometry.geometry(record, node)
      row.values[column] = .geometry(
        try invalidShapes.checked(shape, field: ImportedClass.geometryName))
      return
    }
    guard let location else { return }
    if geometryUse == .centroid, let node = parts.geometry, JSONGeometry.isShape(record, node) {
      let shape = try JSONGeometry.geometry(record, node)
      try location.writeCentroid(of: shape, invalidShapes, to: &row)
    } else if let geometry = parts.geometry,
      let point = try JSONPoint.coordinates(record, geometry, "geometry", isGeometry: true)
    {
      location.write(
        longitude: point.longitude, latitude: point.latitude, altitude: point.altitude, to: &row)
    }
    try degrees.write(to: &row, in: location)
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
    do throws(GeometryTextError) {
      return try PointText.point(record.text(node))
    } catch {
      throw Rejection(
        field: names.names[index],
        reason: "'\(printable(names.names[index]))': \(printable("\(error)"))")
    }
  }
}
