import CadastreFormatting
import CadastreModel

/// Compares what files hold with a class that is stored, property by property.
struct ClassFit {
  /// A line for each thing that does not fit, in the order of the files' fields.
  let mismatches: [String]

  init(
    _ schema: Schema, _ stored: ObjectSchema, _ wanted: ObjectSchema, _ inferred: DatasetSchema,
    _ targets: [ImportedClass.Target], _ settings: ImportSettings
  ) {
    var lines: [String] = []
    if stored.isEmbedded { lines.append("the class is embedded: its objects live in others") }
    var fields: [String: DatasetField] = [:]
    for (target, field) in zip(targets, inferred.fields) {
      if case .property(let name) = target { fields[name] = field }
    }
    for property in wanted.properties {
      let shape = fields[property.name]?.shape ?? .place
      guard let kept = stored[property.name] else {
        lines.append("'\(printable(property.name))': \(shape.words) in the files, not in the class")
        continue
      }
      guard !Self.fits(shape, kept, schema, isLenient: settings.maximumRejects > 0) else {
        continue
      }
      let reason = fields[property.name].map { $0.reason.isEmpty ? "" : " (\($0.reason))" } ?? ""
      lines.append(
        "'\(printable(property.name))': \(shape.words) in the files\(reason), "
          + "\(kept.typeInWords) in the class")
    }
    for property in stored.properties
    where wanted[property.name] == nil && Self.isNeeded(property) && settings.keyPolicy != .update {
      lines.append("'\(property.name)': \(property.typeInWords) in the class, not in the files")
    }
    if let key = settings.primaryKey, stored.primaryKeyProperty?.name != key {
      lines.append(
        "'\(printable(key))': named with --pk, and the class's primary key is "
          + (stored.primaryKeyProperty.map { "'\($0.name)'" } ?? "none"))
    }
    mismatches = lines
  }

  /// Whether an object cannot be without a value of the property.
  private static func isNeeded(_ property: Property) -> Bool {
    !property.isOptional && property.collection == nil && property.type != .any
  }

  /// Whether values of a shape can be kept in a property.
  ///
  /// Where rows may be refused, one text in a column of numbers is no reason to stop.
  private static func fits(
    _ shape: DatasetShape, _ property: Property, _ schema: Schema, isLenient: Bool
  ) -> Bool {
    if property.type == .any, property.collection == nil { return true }
    switch (shape, property.collection) {
    case (.nothing, _), (.list(.nothing, _), .list?), (.list(.nothing, _), .set?): return true
    // An object without members may be one with properties too.
    case (.map(.nothing, _), .map?): return true
    case (.map(.nothing, _), nil): return property.type == .object
    case (.scalar(let type), nil):
      return property.type != .object && (isLenient || fits(type, property.type))
    case (.place, nil): return schema.target(of: property)?.isPointShaped == true
    case (.object(let fields), nil):
      guard property.type == .object, let target = schema.target(of: property), target.isEmbedded
      else { return false }
      return fields.allSatisfy { field in
        target[ImportedClass.propertyName(field.name)].map {
          fits(field.shape, $0, schema, isLenient: isLenient)
        } ?? false
      }
    case (.list(let element, _), .list?), (.list(let element, _), .set?),
      (.map(let element, _), .map?):
      let one = Property(
        name: property.name, type: property.type, isOptional: property.isOptional,
        objectClassName: property.objectClassName)
      return fits(element, one, schema, isLenient: isLenient)
    default: return false
    }
  }

  private static func fits(_ type: PropertyType, _ kept: PropertyType) -> Bool {
    if type == kept { return true }
    return switch (type, kept) {
    case (.int, .double), (.int, .float), (.int, .decimal128), (.int, .bool): true
    case (.double, .float), (.double, .decimal128): true
    // Texts may be any of these; each is tried.
    case (.string, .objectId), (.string, .data), (.string, .decimal128), (.string, .UUID): true
    case (_, .string): true
    default: false
    }
  }
}
