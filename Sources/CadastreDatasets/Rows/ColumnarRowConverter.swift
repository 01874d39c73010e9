import CadastreColumnar
import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastreStore

/// A converter of the records of columnar files to rows.
struct ColumnarRowConverter: RecordConverter {
  private enum Step {
    case slot(Int)
    case degrees(Axis, name: String)
    case wkt(name: String)
    case ignored
  }

  let properties: [Int]
  private let steps: [Step]
  private let members: ColumnarMembers
  private let place: PlaceColumns?
  private let imported: ImportedClass
  private let empty: ImportRow

  init(_ target: RowTarget, fields: [ColumnarField]) {
    place = target.place
    imported = target.imported
    var properties: [Int] = []
    var stored: [(field: ColumnarField, property: Int)] = []
    var steps: [Step] = []
    for (field, destination) in zip(fields, target.imported.targets) {
      switch destination {
      case .longitude: steps.append(.degrees(.longitude, name: field.name))
      case .latitude: steps.append(.degrees(.latitude, name: field.name))
      case .wkt: steps.append(.wkt(name: field.name))
      case .property(let name):
        let index = target.property(name).index
        steps.append(.slot(stored.count))
        stored.append((field, index))
        properties.append(index)
      case .ignored: steps.append(.ignored)
      }
    }
    members = ColumnarMembers(
      stored, target.layout.schema, target.layout.fields, target.catalogue)
    self.properties = target.filled(by: properties)
    self.steps = steps
    var empty = ImportRow(columns: target.layout.columns.count)
    members.begin(&empty)
    self.empty = empty
  }

  func row(_ record: ColumnarRecord) throws(Rejection) -> ImportRow {
    var row = empty
    var degrees = LocationFields()
    for (step, value) in zip(steps, record.values) {
      switch step {
      case .slot(let slot): try members.set(slot, value, &row)
      case .degrees(let axis, let name): degrees[axis] = try Self.degrees(value, axis, name)
      case .wkt(let name):
        guard let point = try Self.point(value, name) else { continue }
        (degrees[.longitude], degrees[.latitude]) = (point.longitude, point.latitude)
      case .ignored: continue
      }
    }
    if let problem = record.geometryProblem {
      throw Rejection(field: "geometry", reason: "the geometry is invalid: \(problem)")
    }
    if let place {
      if let shape = record.geometry {
        try place.write(shape, imported, to: &row)
      } else if let point = record.point {
        place.write(try Self.typed(point, in: place), to: &row)
      }
      try degrees.write(to: &row, in: place)
    }
    return row
  }

  /// Returns a point in degrees; an embedded one has no altitude of 0.
  private static func typed(
    _ point: ColumnarPoint, in place: PlaceColumns
  ) throws(Rejection) -> TypedPoint {
    do throws(CoordinateProblem) {
      var typed = try TypedPoint(longitude: point.x, latitude: point.y, altitude: point.z)
      if case .point = place, typed.altitude == 0 { typed.altitude = nil }
      return typed
    } catch {
      throw Rejection(field: ImportedClass.geometryName, reason: error.sentence)
    }
  }

  private static func point(
    _ value: ColumnarValue, _ name: String
  ) throws(Rejection) -> GeoPoint? {
    if value.isNull { return nil }
    guard case .value(.string(let text)) = value else {
      throw Rejection(field: name, reason: "'\(printable(name))': expected a point in WKT")
    }
    do throws(GeometryTextError) {
      return try PointText.point(text)
    } catch {
      throw Rejection(field: name, reason: "'\(printable(name))': \(printable("\(error)"))")
    }
  }

  private static func degrees(
    _ value: ColumnarValue, _ axis: Axis, _ name: String
  ) throws(Rejection) -> Double? {
    if value.isNull { return nil }
    guard case .value(let found) = value, let degrees = found.doubleValue, degrees.isFinite else {
      throw Rejection(field: name, reason: "'\(printable(name))': expected degrees")
    }
    if let problem = axis.error(degrees, quoted: "\(degrees)") {
      throw Rejection(field: name, reason: problem)
    }
    return degrees
  }
}
