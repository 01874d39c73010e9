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

  /// Returns the property with a name and its column; it must be a single value.
  func scalar(_ name: String) -> (index: Int, property: Property, column: Int) {
    let (index, property, field) = property(name)
    guard case .scalar(let column) = field else {
      preconditionFailure("property '\(name)' is no single value")
    }
    return (index, property, column)
  }

  /// The columns of the location property; nil if the class has none or it is not filled.
  var location: EmbeddedLayout? {
    guard imported.geometryUse != .ignored,
      let index = layout.schema.index(of: ImportedClass.locationName),
      case .embedded(let embedded) = layout.fields[index], embedded.point != nil
    else { return nil }
    return embedded
  }

  /// The column of the geometry property; nil if the class has none or it is not filled by
  /// the geometries of records.
  var geometry: Int? {
    guard imported.geometryUse == .stored,
      !imported.targets.contains(.property(ImportedClass.geometryName)),
      let index = layout.schema.index(of: ImportedClass.geometryName),
      layout.schema.properties[index].type == .geometry,
      case .scalar(let column) = layout.fields[index]
    else { return nil }
    return column
  }

  /// Returns the indexes of the properties with values in records: the fields and the location.
  func filled(by fields: [Int]) -> [Int] {
    let places =
      (location == nil ? [] : [ImportedClass.locationName])
      + (geometry == nil ? [] : [ImportedClass.geometryName])
    return fields
      + places.compactMap { layout.schema.index(of: $0) }.filter { !fields.contains($0) }
  }
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
