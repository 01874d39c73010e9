import CadastreFormatting
import CadastreModel

/// The comparison of an inferred schema with a stored class.
struct ClassCompatibility {
  /// One message for each mismatch, in the order of the files' fields.
  let mismatches: [String]

  init(
    _ schema: Schema, _ stored: ObjectSchema, _ newClass: ObjectSchema, _ inferred: DatasetSchema,
    _ targets: [ImportedClass.Target], _ settings: ImportSettings
  ) {
    var lines: [String] = []
    if stored.isEmbedded {
      lines.append("the class is embedded: its objects are parts of other objects")
    }
    var fields: [String: DatasetField] = [:]
    for (target, field) in zip(targets, inferred.fields) {
      if case .property(let name) = target { fields[name] = field }
    }
    for property in newClass.properties {
      // The property that is no field takes the geometries or coordinates.
      let field = fields[property.name]
      let shape = field?.shape ?? (property.type == .geometry ? .scalar(.geometry) : .point)
      guard let declared = stored[property.name] else {
        lines.append(
          "'\(printable(property.name))': \(shape.typeDescription) in the files, not in the class")
        continue
      }
      let isLenient = settings.maximumRejects > 0
      let isCompatible =
        field == nil
        ? ImportedClass.isPlace(declared, of: property.name, schema)
        : Self.isCompatible(shape, declared, schema, isLenient: isLenient)
      guard !isCompatible else { continue }
      let reason = field.map { $0.reason.isEmpty ? "" : " (\($0.reason))" } ?? ""
      lines.append(
        "'\(printable(property.name))': \(shape.typeDescription) in the files\(reason), "
          + "\(declared.typeInWords) in the class")
    }
    for property in stored.properties
    where newClass[property.name] == nil && Self.isRequired(property)
      && settings.keyPolicy != .update
    {
      lines.append("'\(property.name)': \(property.typeInWords) in the class, not in the files")
    }
    if let key = settings.primaryKey, stored.primaryKeyProperty?.name != key {
      lines.append(
        "'\(printable(key))': named with --pk, but the primary key of the class is "
          + (stored.primaryKeyProperty.map { "'\($0.name)'" } ?? "none"))
    }
    mismatches = lines
  }

  /// Returns whether every object needs a value of the property.
  private static func isRequired(_ property: Property) -> Bool {
    !property.isOptional && property.collection == nil && property.type != .any
  }

  /// Returns whether values of an inferred type can be stored in a property.
  ///
  /// - Parameters:
  ///   - shape: The inferred type.
  ///   - property: The property.
  ///   - schema: The stored schema.
  ///   - isLenient: Whether rows may be rejected, so that single values may have other types.
  /// - Returns: Whether the types are compatible.
  private static func isCompatible(
    _ shape: DatasetShape, _ property: Property, _ schema: Schema, isLenient: Bool
  ) -> Bool {
    if property.type == .any, property.collection == nil { return true }
    switch (shape, property.collection) {
    case (.nothing, _), (.list(.nothing, _), .list?), (.list(.nothing, _), .set?): return true
    // An object without members is compatible with an embedded object too.
    case (.map(.nothing, _), .map?): return true
    case (.map(.nothing, _), nil): return property.type == .object
    case (.scalar(let type), nil):
      return property.type != .object && (isLenient || isCompatible(type, property.type))
    case (.point, nil): return schema.target(of: property)?.isPointShaped == true
    case (.object(let fields), nil):
      guard property.type == .object, let target = schema.target(of: property), target.isEmbedded
      else { return false }
      return fields.allSatisfy { field in
        target[ImportedClass.propertyName(field.name)].map {
          isCompatible(field.shape, $0, schema, isLenient: isLenient)
        } ?? false
      }
    case (.list(let element, _), .list?), (.list(let element, _), .set?),
      (.map(let element, _), .map?):
      let one = Property(
        name: property.name, type: property.type, isOptional: property.isOptional,
        objectClassName: property.objectClassName)
      return isCompatible(element, one, schema, isLenient: isLenient)
    default: return false
    }
  }

  /// Returns whether values of a type can be stored as another type.
  static func isCompatible(_ type: PropertyType, _ declared: PropertyType) -> Bool {
    if type == declared { return true }
    return switch (type, declared) {
    case (.int, .double), (.int, .float), (.int, .decimal128), (.int, .bool): true
    case (.double, .float), (.double, .decimal128): true
    // Each text is parsed as the declared type.
    case (.string, .objectId), (.string, .data), (.string, .decimal128), (.string, .UUID),
      (.string, .geometry):
      true
    case (_, .string): true
    default: false
    }
  }
}
