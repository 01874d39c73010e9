import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastreStore

/// A converter of records with typed values to rows.
struct TypedRowConverter: RecordConverter {
  private enum Step {
    case scalar(name: String, Property, column: Int)
    /// A property that is no single value; all values of the field are null.
    case null(name: String)
    case ignored
  }

  let properties: [Int]
  private let steps: [Step]
  private let place: PlaceColumns?
  private let imported: ImportedClass
  private let empty: ImportRow

  init(_ target: RowTarget, names: [String]) {
    place = target.place
    imported = target.imported
    var properties: [Int] = []
    steps = zip(names, target.imported.targets).map { name, destination in
      guard case .property(let propertyName) = destination else { return .ignored }
      let (index, property, field) = target.property(propertyName)
      properties.append(index)
      guard case .scalar(let column) = field else { return .null(name: name) }
      return .scalar(name: name, property, column: column)
    }
    self.properties = target.filled(by: properties)
    empty = target.emptyRow(properties)
  }

  func row(_ record: TypedRow) throws(Rejection) -> ImportRow {
    var row = empty
    for (step, value) in zip(steps, record.values) {
      switch step {
      case .scalar(let name, let property, let column):
        row.values[column] = try TypedValue.stored(value, in: property, field: name)
      case .null(let name):
        guard !value.isNull else { continue }
        throw Rejection(
          field: name,
          reason: "'\(printable(name))': expected null, found "
            + "'\(printable(FieldText.plain(.value(value)).prefix(60)))'")
      case .ignored: continue
      }
    }
    if let shape = record.geometry {
      try place?.write(shape, imported, to: &row)
    } else if let point = record.point {
      place?.write(point, to: &row)
    }
    return row
  }
}
