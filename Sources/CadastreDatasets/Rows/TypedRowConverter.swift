import CadastreFormatting
import CadastreModel
import CadastreStore

/// Turns records with typed values into rows of a class's table.
struct TypedRowConverter: RecordConverter {
  private struct Step {
    let name: String
    let property: Property
    let column: Int
  }

  let properties: [Int]
  private let steps: [Step]
  private let place: EmbeddedLayout?
  private let empty: ImportRow

  init(_ target: RowTarget, names: [String]) {
    place = target.place
    empty = ImportRow(columns: target.layout.columns.count)
    var properties: [Int] = []
    var steps: [Step] = []
    for (name, destination) in zip(names, target.imported.targets) {
      guard case .property(let propertyName) = destination else {
        preconditionFailure("the place is no field of a typed source")
      }
      let (index, property, column) = target.scalar(propertyName)
      properties.append(index)
      steps.append(Step(name: name, property: property, column: column))
    }
    self.properties = target.filled(by: properties)
    self.steps = steps
  }

  func row(_ record: TypedRow) throws(Refusal) -> ImportRow {
    var row = empty
    for (step, value) in zip(steps, record.values) {
      row.values[step.column] = try self.value(value, step)
    }
    if let place = record.place {
      self.place?.write(
        longitude: place.longitude, latitude: place.latitude, altitude: place.altitude, to: &row)
    }
    return row
  }

  private func value(_ value: Value, _ step: Step) throws(Refusal) -> Value {
    let type = step.property.type
    if value.isNull {
      if step.property.isOptional || type == .any { return .null }
      if type == .string { return .string("") }
      throw Refusal(
        field: step.name,
        reason: "'\(printable(step.name))' is null; expected a \(type), which is required")
    }
    if let converted = TypedValue.value(value, type) { return converted }
    throw Refusal(
      field: step.name,
      reason: "'\(printable(step.name))': expected a \(type), found "
        + "'\(printable(FieldText.plain(.value(value)).prefix(60)))'")
  }
}
