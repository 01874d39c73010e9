import CadastreFormatting
package import CadastreModel

/// A field of input files with its inferred type.
package struct DatasetField: Hashable, Sendable {
  /// The name in the files.
  package var name: String
  /// The inferred type.
  package var shape: DatasetShape
  /// Whether at least one record has no value, or all have none.
  package var isOptional: Bool
  /// Whether the values are dates without a time of day.
  package var isDay: Bool
  /// The reason for the type, as a clause for messages.
  package var reason: String
  /// The word that makes the column text, as a clause; nil if no word does.
  package var nullWord: String?
  /// Whether the field has the name `x` or `y`, and a value is neither a longitude nor a latitude.
  var exceedsDegrees: Bool
  /// Whether the field is not imported.
  package var isIgnored = false

  /// Creates a field.
  package init(
    name: String, shape: DatasetShape, isOptional: Bool, isDay: Bool = false, reason: String = "",
    nullWord: String? = nil, exceedsDegrees: Bool = false
  ) {
    self.exceedsDegrees = exceedsDegrees
    self.isDay = isDay
    self.nullWord = nullWord
    self.name = name
    self.shape = shape
    self.isOptional = isOptional
    self.reason = reason
  }
}

/// The inferred type of a field.
package indirect enum DatasetShape: Hashable, Sendable {
  /// A single value; `any` if the values have no common type.
  case scalar(PropertyType)
  /// Only nulls; a new class has the given type.
  case nothing(PropertyType)
  /// An embedded point.
  case point
  /// An embedded object.
  case object([DatasetField])
  /// A list; if optional, some elements are null.
  case list(DatasetShape, isOptional: Bool)
  /// A dictionary; if optional, some values are null.
  case map(DatasetShape, isOptional: Bool)

  /// The type for messages: `int`, `point`, `list of double`.
  package var typeDescription: String {
    switch self {
    case .scalar(.any): "any value"
    case .scalar(let type): type.description
    case .nothing: "only nulls"
    case .point: "point"
    case .object(let fields): "object of \(listed(fields.map(\.name)))"
    case .list(let element, _): "list of \(element.typeDescription)"
    case .map(let value, _): "map of \(value.typeDescription)"
    }
  }
}

/// The inferred schema of input files.
package struct DatasetSchema: Hashable, Sendable {
  /// The fields, in the order of their first occurrence.
  package var fields: [DatasetField]
  /// Whether records have a geometry in addition to their fields.
  package var hasLocation: Bool
  /// Whether a geometry is a line, a polygon or a collection, so that all geometries become the
  /// property `geometry`.
  package var hasShapes: Bool
  /// Whether a record has a member for its geometry, which may be null.
  package var namesGeometry = true
  /// Whether no record has a geometry other than null, so that every class can take the geometries.
  package var hasOnlyNullGeometries = false
  /// The name of the geometries in a selection of fields, besides `geometry`.
  package var geometryName = "geometry"
  /// Whether fields may be the coordinates of the records, selected by name or by option.
  package var hasCoordinateFields = true

  /// Whether the fields have the names that the setting `renames` gives them.
  var hasRenamedFields = false

  /// Returns the names of the columns with days, such as `founded` or `address.since`.
  ///
  /// - Parameter names: The names of the properties of the fields.
  /// - Returns: The names.
  func dayPaths(_ names: [String]) -> [String] { Self.dayPaths(fields, names, prefix: "") }

  private static func dayPaths(
    _ fields: [DatasetField], _ names: [String], prefix: String
  ) -> [String] {
    zip(fields, names).flatMap { field, name -> [String] in
      let path = prefix + name
      if case .object(let members) = field.shape {
        let names = members.map { ImportedClass.propertyName($0.name) }
        return dayPaths(members, names, prefix: path + ".")
      }
      return field.isDay ? [path] : []
    }
  }

  /// Creates a schema.
  package init(fields: [DatasetField], hasLocation: Bool, hasShapes: Bool = false) {
    self.fields = fields
    self.hasLocation = hasLocation
    self.hasShapes = hasShapes
  }

  /// Ignores the fields, and the geometries, that are not selected.
  ///
  /// - Parameter columns: The names of the selected fields; `geometry` selects the geometries.
  /// - Throws: ``ImportError`` for a name that the records do not have.
  mutating func select(_ columns: [String]) throws(ImportError) {
    let selected = Set(columns.map { String($0.trimmingBlanks()) })
    let known = fields.map(\.name) + (hasLocation ? [geometryName] : [])
    for name in selected.sorted() where !known.contains(name) {
      if hasLocation, name == "geometry" { continue }
      throw ImportError(
        "--columns: there is no column '\(printable(name))'; the records have \(listed(known))")
    }
    for index in fields.indices { fields[index].isIgnored = !selected.contains(fields[index].name) }
    guard hasLocation, selected.isDisjoint(with: [geometryName, "geometry"]) else { return }
    (hasLocation, hasShapes, hasCoordinateFields) = (false, false, false)
  }
}
