import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastreStore

/// Turns JSON objects into rows of a class's table, and of the tables of what they hold.
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
  private let place: EmbeddedLayout?
  private let empty: ImportRow

  init(_ target: RowTarget, names: [String]) {
    self.names = JSONNameIndex(names)
    place = target.place
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

  mutating func row(_ record: JSONRecord) throws(Refusal) -> ImportRow {
    let parts = JSONParts(record)
    guard !parts.isCollection else {
      throw Refusal(
        reason: "found a FeatureCollection among the records; expected it alone in a file")
    }
    var row = empty
    var degrees = PlaceFields()
    var filling = members.begin(&row)
    names.rewind()
    // The closure is called here and now; what it changes is its own.
    try parts.forEachField(of: record) { (name, value) throws(Refusal) in
      guard let index = names.index(record, name) else {
        throw Refusal(
          field: record.text(name),
          reason: "'\(printable(record.text(name)))' was not there when the file was read first")
      }
      switch steps[index] {
      case .slot(let slot): try members.set(slot, record, value, &row, &filling)
      case .degrees(let axis): degrees[axis] = try self.degrees(record, index, value, axis)
      case .wkt:
        guard let point = try point(record, index, value) else { return }
        (degrees[.longitude], degrees[.latitude]) = (point.longitude, point.latitude)
      }
    }
    try members.end(filling, &row)
    try setPlace(record, parts, degrees, &row)
    return row
  }

  private func setPlace(
    _ record: JSONRecord, _ parts: JSONParts, _ degrees: PlaceFields, _ row: inout ImportRow
  ) throws(Refusal) {
    guard let place else { return }
    if let geometry = parts.geometry,
      let point = try JSONPoint.coordinates(record, geometry, "geometry")
    {
      place.write(
        longitude: point.longitude, latitude: point.latitude, altitude: point.altitude, to: &row)
    }
    try degrees.write(to: &row, in: place)
  }

  private func degrees(
    _ record: JSONRecord, _ index: Int, _ node: Int, _ axis: Axis
  ) throws(Refusal) -> Double? {
    switch record[node].kind {
    case .null: return nil
    case .integer, .number, .string:
      if let degrees = record.withText(node, FieldParsing.double), abs(degrees) <= axis.limit {
        return degrees
      }
    default: break
    }
    throw Refusal(
      field: names.names[index],
      reason: "'\(printable(names.names[index]))': expected degrees from -\(Int(axis.limit)) to "
        + "\(Int(axis.limit)), found \(JSONMembers.shown(record, node))")
  }

  private func point(
    _ record: JSONRecord, _ index: Int, _ node: Int
  ) throws(Refusal) -> GeoPoint? {
    if record[node].kind == .null { return nil }
    do throws(GeometryTextError) {
      return try GeoPoint(wkt: record.text(node))
    } catch {
      throw Refusal(
        field: names.names[index],
        reason: "'\(printable(names.names[index]))': \(printable("\(error)"))")
    }
  }
}
