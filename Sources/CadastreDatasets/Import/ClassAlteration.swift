import CadastreFormatting
import CadastreModel
import CadastreStore

/// The change of a stored class that lets it take the records of files.
///
/// Properties become optional, or get a wider type: a floating-point number instead of an integer, a
/// string or a mixed value instead of anything else. Fields of the files are added as optional
/// properties. Nothing is removed.
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
    if properties != existing.properties { add(existing.with(properties)) }
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
    if properties != target.properties { add(target.with(properties)) }
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
    schema = schema.replacing(Schema([changed]))
  }
}

extension ObjectSchema {
  fileprivate func with(_ properties: [Property]) -> ObjectSchema {
    ObjectSchema(
      className: className, properties: properties, computedProperties: computedProperties,
      isEmbedded: isEmbedded)
  }
}

extension Property {
  fileprivate func with(type: PropertyType? = nil, isOptional: Bool) -> Property {
    Property(
      name: name, columnName: columnName, type: type ?? self.type, isOptional: isOptional,
      isPrimaryKey: isPrimaryKey, isIndexed: isIndexed, isFullTextIndexed: isFullTextIndexed,
      collection: collection, objectClassName: objectClassName,
      linkOriginPropertyName: linkOriginPropertyName)
  }
}
