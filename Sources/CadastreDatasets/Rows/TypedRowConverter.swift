import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastreStore

/// A converter of records with typed values to rows.
struct TypedRowConverter: RecordConverter {
  private struct Step {
    let name: String
    let property: Property
    let column: Int
  }

  let properties: [Int]
  private let steps: [Step]
  private let location: EmbeddedLayout?
  private let geometry: Int?
  private let geometryUse: GeometryUse
  private let invalidShapes: InvalidShapes
  private let empty: ImportRow

  init(_ target: RowTarget, names: [String]) {
    location = target.location
    geometry = target.geometry
    geometryUse = target.imported.geometryUse
    invalidShapes = target.imported.invalidShapes
    empty = ImportRow(columns: target.layout.columns.count)
    var properties: [Int] = []
    var steps: [Step] = []
    for (name, destination) in zip(names, target.imported.targets) {
      guard case .property(let propertyName) = destination else {
        preconditionFailure("in typed formats the location is no field")
      }
      let (index, property, column) = target.scalar(propertyName)
      properties.append(index)
      steps.append(Step(name: name, property: property, column: column))
    }
    self.properties = target.filled(by: properties)
    self.steps = steps
  }

  func row(_ record: TypedRow) throws(Rejection) -> ImportRow {
    var row = empty
    for (step, value) in zip(steps, record.values) {
      row.values[step.column] = try TypedValue.stored(value, in: step.property, field: step.name)
    }
    if let geometry {
      let shape = record.geometry ?? record.point?.geometry
      row.values[geometry] =
        try shape.map { (shape) throws(Rejection) in
          .geometry(try invalidShapes.checked(shape, field: ImportedClass.geometryName))
        } ?? .null
    } else if let shape = record.geometry, geometryUse == .centroid {
      try location?.writeCentroid(of: shape, invalidShapes, to: &row)
    } else if record.geometry != nil, geometryUse == .stored {
      throw Rejection(
        field: ImportedClass.geometryName,
        reason: "the geometry is no point; the class has a property for points only")
    } else if let point = record.point {
      location?.write(
        longitude: point.longitude, latitude: point.latitude, altitude: point.altitude, to: &row)
    }
    return row
  }
}
