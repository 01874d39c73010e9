import CadastreFormatting
import CadastreModel
import CadastreStore

/// The change of a stored class by which it can store the records of files.
///
/// Properties become optional, or get a wider type: a floating-point number instead of an integer, a
/// string or a mixed value instead of anything else. Fields of the files are added as optional
/// properties. Nothing is removed except compound indexes on properties that become mixed.
struct ClassAlteration: Sendable {
  /// A property whose values are converted.
  private struct Conversion {
    let property: String
    let type: PropertyType
  }

  /// The changed and added classes.
  private(set) var schema = Schema()
  /// The changes, one clause each.
  private(set) var changes: [String] = []
  private let className: String
  private var conversions: [Conversion] = []

  /// Determines the change of a class.
  ///
  /// - Parameters:
  ///   - existing: The stored class.
  ///   - stored: The schema of the store.
  ///   - newClass: The class that the files would have in a new store.
  ///   - inferred: The inferred schema.
  ///   - targets: The destination of each field.
  ///   - settings: The settings of the import.
  init(
    _ existing: ObjectSchema, in stored: Schema,
    _ newClass: (class: ObjectSchema, embedded: [ObjectSchema]), _ inferred: DatasetSchema,
    _ targets: [ImportedClass.Target], _ settings: ImportSettings
  ) {
    className = existing.className
    var fields: [String: DatasetField] = [:]
    for (target, field) in zip(targets, inferred.fields) {
      if case .property(let name) = target { fields[name] = field }
    }
    var properties: [Property] = []
    for property in existing.properties {
      guard let field = fields[property.name] else {
        let isMissing =
          newClass.class[property.name] == nil
          && (settings.keyPolicy != .update || settings.takesIncompleteObjects)
        properties.append(isMissing ? optional(property, of: existing) : property)
        continue
      }
      let widened = widened(property, field, isLenient: settings.maximumRejects > 0)
      properties.append(field.isOptional ? optional(widened, of: existing) : widened)
      alter(field.shape, property, stored)
    }
    for property in newClass.class.properties where existing[property.name] == nil {
      properties.append(added(property, to: existing.className))
      add(property.objectClassName, newClass.embedded, stored)
    }
    guard properties != existing.properties else { return }
    add(existing.with(properties: properties, compoundIndexes: possibleIndexes(of: existing)))
  }

  /// Applies the change within the transaction of an import.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - old: The store before the transaction.
  /// - Throws: ``ImportError`` if a stored value cannot be converted, or `StoreError`.
  /// - Complexity: O(n) for n objects if values are converted.
  func apply(to transaction: WriteTransaction, from old: Snapshot) throws {
    let migration = try StoreMigration(
      transaction, from: old, to: schema, version: transaction.versions.schema)
    for conversion in conversions { try convert(conversion, transaction, old) }
    try migration.finish()
  }

  private func convert(
    _ conversion: Conversion, _ transaction: WriteTransaction, _ old: Snapshot
  ) throws {
    guard let before = old.catalogue.layout(className),
      let after = transaction.catalogue.layout(className),
      let source = before.schema[conversion.property].flatMap(before.column),
      let target = after.schema[conversion.property].flatMap(after.column)
    else { return }
    let isDay = try old.dayColumns(before).contains(before.columns[source].name)
    for key in try old.keys(before, after: ObjectKey(0), limit: .max) {
      guard var value = try old.row(before, key)?[source], !value.isNull else { continue }
      if isDay, conversion.type == .string, case .date(let date) = value, date.isStartOfDay {
        value = .string(date.day)
      }
      guard let converted = TypedValue.value(value, conversion.type) else {
        throw ImportError(
          "--alter: \(FieldText.plain(.value(value))) in '\(printable(conversion.property))' has no "
            + "exact value of type \(conversion.type); use --types to choose another type")
      }
      try transaction.update(className, key, [(target, converted)])
    }
  }

  // MARK: Properties

  private mutating func optional(_ property: Property, of owner: ObjectSchema) -> Property {
    guard !property.isOptional, !property.isPrimaryKey, property.collection == nil,
      property.type != .any
    else { return property }
    note(owner.className, property.name, "is optional")
    return property.with(isOptional: true)
  }

  private mutating func added(_ property: Property, to className: String) -> Property {
    let isOptional = property.collection == nil ? property.type != .any : property.isOptional
    let added = property.with(isOptional: isOptional)
    note(className, property.name, "is new: \(added.typeInWords)")
    return added
  }

  private mutating func widened(
    _ property: Property, _ field: DatasetField, isLenient: Bool
  ) -> Property {
    guard !isLenient, property.collection == nil, property.type != .object,
      case .scalar(let type) = field.shape,
      !ClassCompatibility.isCompatible(type, property.type)
    else { return property }
    let wider: PropertyType =
      switch (property.type, type) {
      case (.int, .double): .double
      case (_, .any): .any
      default: .string
      }
    conversions.append(Conversion(property: property.name, type: wider))
    note(className, property.name, "is \(articled(wider)), was \(articled(property.type))")
    return property.with(type: wider, isOptional: property.isOptional && wider != .any)
  }

  /// Returns the compound indexes without those on a property that becomes mixed.
  private mutating func possibleIndexes(of existing: ObjectSchema) -> [[String]] {
    let mixed = Set(conversions.filter { $0.type == .any }.map(\.property))
    return existing.compoundIndexes.filter { names in
      guard let name = names.first(where: mixed.contains) else { return true }
      note(
        existing.className, "(\(names.joined(separator: ", ")))",
        "has no index, because '\(printable(name))' is mixed")
      return false
    }
  }

  private mutating func note(_ className: String, _ property: String, _ change: String) {
    changes.append("\(printable("\(className).\(property)")) \(change)")
  }

  // MARK: Embedded classes

  /// Changes the embedded classes of nested records.
  private mutating func alter(_ shape: DatasetShape, _ property: Property, _ stored: Schema) {
    switch shape {
    case .list(let element, _), .map(let element, _): alter(element, property, stored)
    case .object(let fields):
      guard let name = property.objectClassName, let target = schema[name] ?? stored[name],
        target.isEmbedded, !target.isPointShaped
      else { return }
      alter(fields, of: target, stored)
    case .scalar, .nothing, .point: break
    }
  }

  private mutating func alter(
    _ fields: [DatasetField], of target: ObjectSchema, _ stored: Schema
  ) {
    var properties = target.properties
    for field in fields {
      let name = ImportedClass.propertyName(field.name)
      guard let index = properties.firstIndex(where: { $0.name == name }) else {
        guard case .scalar(let type) = field.shape else { continue }
        properties.append(
          added(Property(name: name, type: type, isOptional: type != .any), to: target.className))
        continue
      }
      if field.isOptional { properties[index] = optional(properties[index], of: target) }
      alter(field.shape, properties[index], stored)
    }
    let names = Set(fields.map { ImportedClass.propertyName($0.name) })
    for index in target.properties.indices where !names.contains(properties[index].name) {
      properties[index] = optional(properties[index], of: target)
    }
    if properties != target.properties { add(target.with(properties: properties)) }
  }

  /// Adds the embedded classes of a new property, unless they are stored already.
  private mutating func add(
    _ className: String?, _ embedded: [ObjectSchema], _ stored: Schema
  ) {
    guard let className, stored[className] == nil, schema[className] == nil,
      let added = embedded.first(where: { $0.className == className })
    else { return }
    add(added)
    for property in added.properties { add(property.objectClassName, embedded, stored) }
  }

  private mutating func add(_ changed: ObjectSchema) {
    schema = schema.replacing([changed])
  }
}

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
      // The property without a field takes the geometries or coordinates.
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
        ? ImportedClass.acceptsGeometries(declared, of: property.name, schema)
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
    if type == declared || declared == .any { return true }
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
