import CadastreModel
import CadastreStore

/// The table to which records are converted.
struct RowTarget: Sendable {
  /// The class and the destination of each field.
  let imported: ImportedClass
  /// The table of the class.
  let layout: TableLayout
  /// The tables of all classes.
  let catalogue: Catalogue

  /// Returns the property with a name, which must exist.
  func property(_ name: String) -> (index: Int, property: Property, field: FieldLayout) {
    guard let index = layout.schema.index(of: name) else {
      preconditionFailure("class '\(layout.schema.className)' has no property '\(name)'")
    }
    return (index, layout.schema.properties[index], layout.fields[index])
  }

  /// The step for each field, and the indexes of the properties that fields have, in the order of the fields.
  var steps: (steps: [FieldStep], properties: [Int]) {
    var properties: [Int] = []
    let steps = imported.targets.map { destination -> FieldStep in
      switch destination {
      case .longitude: return .degrees(.longitude)
      case .latitude: return .degrees(.latitude)
      case .wkt: return .wkt
      case .property(let name):
        properties.append(property(name).index)
        return .property(properties.count - 1)
      case .ignored: return .ignored
      }
    }
    return (steps, properties)
  }

  /// The columns that take the geometry or the coordinates of a record; nil if there are none.
  var place: PlaceColumns? {
    switch placeIndex.map({ layout.fields[$0] }) {
    case .embedded(let embedded) where embedded.point != nil: .point(embedded)
    case .scalar(let column): .geometry(column)
    default: nil
    }
  }

  /// The index of the property of ``place``.
  var placeIndex: Int? { imported.place.flatMap { layout.schema.index(of: $0) } }

  /// The point whose longitude and latitude are fields of the records, without an altitude; nil for none.
  var flatPoint: EmbeddedLayout? {
    guard imported.targets.contains(.longitude), case .point(let embedded) = place else {
      return nil
    }
    return embedded
  }

  /// Returns the indexes of the properties with values in records: the fields and the place.
  func filled(by fields: [Int]) -> [Int] {
    fields + [placeIndex].compactMap(\.self).filter { !fields.contains($0) }
  }

  /// Returns a row without values; the collections among the fields are empty.
  func emptyRow(_ fields: [Int]) -> ImportRow {
    var row = ImportRow(columns: layout.columns.count)
    for case .collection(let collection) in fields.map({ layout.fields[$0] }) {
      row.values[collection.countColumn] = .int(0)
    }
    return row
  }
}

/// The treatment of a field of records.
enum FieldStep {
  /// The field is a property, with its index among the properties that fields have.
  case property(Int)
  /// The field is a coordinate of the location.
  case degrees(Axis)
  /// The field is the location in well-known text.
  case wkt
  /// The field is not selected.
  case ignored
}

extension EmbeddedLayout {
  /// Writes a point to the row of its owner; degrees and metres.
  func write(longitude: Double, latitude: Double, altitude: Double? = nil, to row: inout ImportRow)
  {
    guard let point else { return }
    row.values[presence] = .int(1)
    row.values[point.longitude] = .double(longitude + 0)
    row.values[point.latitude] = .double(latitude + 0)
    row.values[point.altitude] = altitude.map(Value.double) ?? .null
  }
}
