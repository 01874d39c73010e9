import CadastreModel
import CadastreStore

/// The table that records become rows of.
struct RowTarget: Sendable {
  /// The class, and what becomes of each field.
  let imported: ImportedClass
  /// How its objects are laid out.
  let layout: TableLayout
  /// How the classes of embedded objects with rows of their own are laid out.
  let catalogue: Catalogue

  /// The property with a name.
  ///
  /// The class was made for the files' fields, or checked against them.
  func property(_ name: String) -> (index: Int, property: Property, field: FieldLayout) {
    guard let index = layout.schema.index(of: name) else {
      preconditionFailure("class '\(layout.schema.className)' has no property '\(name)'")
    }
    return (index, layout.schema.properties[index], layout.fields[index])
  }

  /// The property with a name, which is a single value, and the column it has.
  func scalar(_ name: String) -> (index: Int, property: Property, column: Int) {
    let (index, property, field) = property(name)
    guard case .scalar(let column) = field else {
      preconditionFailure("property '\(name)' is no single value")
    }
    return (index, property, column)
  }

  /// Where the place of a record goes; nil where it has none.
  var place: EmbeddedLayout? {
    guard let index = layout.schema.index(of: ImportedClass.locationName),
      case .embedded(let embedded) = layout.fields[index], embedded.point != nil
    else { return nil }
    return embedded
  }

  /// The properties that records fill: those of their fields, and the place, where there is one.
  func filled(by fields: [Int]) -> [Int] {
    guard place != nil, let index = layout.schema.index(of: ImportedClass.locationName),
      !fields.contains(index)
    else { return fields }
    return fields + [index]
  }
}

extension EmbeddedLayout {
  /// Writes a place into its owner's row.
  func write(longitude: Double, latitude: Double, altitude: Double? = nil, to row: inout ImportRow)
  {
    guard let point else { return }
    row.values[presence] = .int(1)
    row.values[point.longitude] = .double(longitude + 0)
    row.values[point.latitude] = .double(latitude + 0)
    row.values[point.altitude] = altitude.map(Value.double) ?? .null
  }
}
