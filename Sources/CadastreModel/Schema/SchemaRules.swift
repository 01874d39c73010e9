/// The validation of schemas.
package enum SchemaRules {
  /// Returns all violations of the rules, one sentence each, in the order of the classes.
  ///
  /// With `isStored`, a class may be empty: the schema of a file has no computed properties.
  package static func errors(of schema: Schema, isStored: Bool = false) -> [String] {
    let empty = schema.objectSchema.filter {
      !isStored && $0.properties.isEmpty && $0.computedProperties.isEmpty
    }
    var errors = empty.map { "No properties are defined for '\($0.className)'." }
    for objectSchema in schema.objectSchema {
      errors += classErrors(objectSchema)
      for property in objectSchema.properties {
        errors += propertyErrors(property, of: objectSchema, in: schema)
      }
      for property in objectSchema.computedProperties {
        errors += originErrors(property, of: objectSchema, in: schema)
      }
      errors += compoundIndexErrors(objectSchema)
    }
    return errors.isEmpty ? widthErrors(of: schema) : errors
  }

  private static func widthErrors(of schema: Schema) -> [String] {
    var counted: [String: Int] = [:]
    return schema.objectSchema.compactMap { objectSchema in
      let columns = columnCount(objectSchema, in: schema, &counted)
      guard columns > maximumColumns else { return nil }
      return "Class '\(objectSchema.className)' needs \(columns) columns, embedded objects "
        + "included; a table has \(maximumColumns) at most."
    }
  }

  /// Returns the number of columns of a class, embedded objects included; `counted` is a cache.
  private static func columnCount(
    _ objectSchema: ObjectSchema, in schema: Schema, _ counted: inout [String: Int]
  ) -> Int {
    if let cached = counted[objectSchema.className] { return cached }
    var columns = objectSchema.isPointShaped ? 3 : 1
    for property in objectSchema.properties {
      let target = schema.isInline(property) ? schema.target(of: property) : nil
      columns += target.map { columnCount($0, in: schema, &counted) } ?? 1
      columns = min(columns, maximumColumns * 1000)
    }
    counted[objectSchema.className] = columns
    return columns
  }

  private static func classErrors(_ schema: ObjectSchema) -> [String] {
    var errors: [String] = []
    let name = schema.className
    if name.isEmpty || name.utf8.count > maximumClassNameBytes {
      errors.append(
        "Class name '\(name)' must have 1 to \(maximumClassNameBytes) bytes.")
    }
    let keys = schema.properties.filter(\.isPrimaryKey)
    if keys.count > 1 {
      errors.append(
        "Class '\(name)' has more than one primary key: "
          + keys.map { "'\($0.name)'" }.joined(separator: " and ") + ".")
    }
    if schema.isEmbedded, let key = keys.first {
      errors.append("Embedded class '\(name)' cannot have the primary key '\(key.name)'.")
    }
    errors += repeated((schema.properties + schema.computedProperties).map(\.name)).map {
      "Property '\(name).\($0)' is declared more than once."
    }
    errors += repeated(schema.properties.map(\.columnName)).map {
      "Class '\(name)' has two properties with the column '\($0)'."
    }
    return errors
  }

  private static func propertyErrors(
    _ property: Property, of owner: ObjectSchema, in schema: Schema
  ) -> [String] {
    let name = "'\(owner.className).\(property.name)'"
    var errors: [String] = []
    if !isName(property.name) { errors.append("Property name \(name) \(ruleOfNames)") }
    if property.columnName != property.name {
      if !isName(property.columnName) {
        errors.append("The column '\(property.columnName)' of property \(name) \(ruleOfNames)")
      }
      if let other = owner[property.columnName], other.columnName != property.columnName {
        errors.append(
          "Property \(name) has the column '\(property.columnName)', which is the name of another "
            + "property.")
      }
    }
    if property.isPrimaryKey, ![.int, .string, .objectId, .UUID].contains(property.type) {
      errors.append(
        "Property \(name) of type '\(property.typeDescription)' cannot be a primary key.")
    }
    if property.type == .geometry, property.isIndexed {
      errors.append(
        "Property \(name): a geometry always has a spatial index; remove 'indexed: true'.")
    } else if property.isIndexed, property.collection != nil || !isIndexable(property.type) {
      errors.append("Property \(name) of type '\(property.typeDescription)' cannot be indexed.")
    }
    if property.isFullTextIndexed, property.collection != nil || property.type != .string {
      errors.append(
        "Property \(name) of type '\(property.typeDescription)' cannot have a full-text index: only "
          + "strings can.")
    }
    if property.collection != nil { errors += collectionErrors(property, name, in: schema) }
    if property.type == .object { errors += linkErrors(property, name, in: schema) }
    return errors
  }

  /// Returns whether a text may be the name of a property or a column.
  ///
  /// Bytes are compared, because a full stop with a combining mark is another `Character`.
  private static func isName(_ name: String) -> Bool {
    let bytes = name.utf8
    return (1...maximumPropertyNameBytes).contains(bytes.count)
      && bytes.first != UInt8(ascii: "#")
      && !bytes.contains { $0 == UInt8(ascii: ".") || $0 == 0 }
      && !name.contains(where: \.isNewline)
  }

  private static let ruleOfNames =
    "must have 1 to \(maximumPropertyNameBytes) bytes, no full stop, no line break and no leading '#'."

  private static func collectionErrors(
    _ property: Property, _ name: String, in schema: Schema
  ) -> [String] {
    guard property.type == .object else { return [] }
    var errors: [String] = []
    if property.isSet, schema.target(of: property)?.isEmbedded == true {
      errors.append(
        "Property \(name): a set cannot hold embedded objects, which have no identity; use a list.")
    }
    if property.isMap, !property.isOptional {
      errors.append(
        "Property \(name): the values of a map of objects must be optional, since an object may be "
          + "deleted.")
    }
    if !property.isMap, property.isOptional {
      errors.append(
        "Property \(name): the objects in a \(property.typeDescription) cannot be optional.")
    }
    return errors
  }

  private static func linkErrors(
    _ property: Property, _ name: String, in schema: Schema
  ) -> [String] {
    guard let target = property.objectClassName, schema[target] != nil else {
      return [
        "Property \(name) links to '\(property.objectClassName ?? "")', which is not in the schema."
      ]
    }
    return property.isOptional || property.collection != nil
      ? [] : ["Object property \(name) must be marked as optional."]
  }

  /// Validates that the origin of linking objects is a property with links to their class.
  private static func originErrors(
    _ property: Property, of owner: ObjectSchema, in schema: Schema
  ) -> [String] {
    let name = "'\(owner.className).\(property.name)'"
    let origin = property.objectClassName ?? ""
    guard let linkName = property.linkOriginPropertyName, !linkName.isEmpty else {
      return [
        "Property \(name) of linking objects has no origin: write "
          + "@Persisted(originProperty: \"…\")."
      ]
    }
    guard let source = schema[origin] else {
      return ["Property \(name) has its origin in '\(origin)', which is not in the schema."]
    }
    guard let link = source[linkName] else {
      return ["Property '\(origin).\(linkName)' declared as origin of \(name) does not exist."]
    }
    guard link.type == .object else {
      return ["Property '\(origin).\(linkName)' declared as origin of \(name) is not a link."]
    }
    guard link.objectClassName == owner.className else {
      return [
        "Property '\(origin).\(linkName)' declared as origin of \(name) links to type "
          + "'\(link.objectClassName ?? "")'."
      ]
    }
    return []
  }

  private static func compoundIndexErrors(_ schema: ObjectSchema) -> [String] {
    var errors: [String] = []
    var seen: Set<[String]> = []
    for names in schema.compoundIndexes {
      let index = "The index of '\(schema.className)' on (\(names.joined(separator: ", ")))"
      if !(2...maximumIndexedProperties).contains(names.count) {
        errors.append(
          "\(index) must have 2 to \(maximumIndexedProperties) properties; one property is indexed with "
            + "'indexed: true'.")
      }
      if !seen.insert(names).inserted { errors.append("\(index) is declared more than once.") }
      errors += repeated(names).map { "\(index) names the property '\($0)' more than once." }
      for name in Set(names).sorted() {
        guard let property = schema[name] else {
          errors.append("\(index) names '\(name)', which is not a stored property of the class.")
          continue
        }
        let isPartOfPoint = schema.isPointShaped && name == ObjectSchema.pointTypeName
        if isPartOfPoint || property.collection != nil || property.type == .any
          || !isIndexable(property.type)
        {
          errors.append(
            "\(index) cannot contain the property '\(name)' of type '\(property.typeDescription)'.")
        }
      }
    }
    return errors
  }

  private static func isIndexable(_ type: PropertyType) -> Bool {
    switch type {
    case .int, .bool, .string, .date, .objectId, .UUID, .float, .double, .any: true
    case .data, .object, .decimal128, .linkingObjects, .geometry: false
    }
  }

  private static func repeated(_ names: [String]) -> [String] {
    Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
  }

  /// The maximum number of columns of a table: the default of SQLITE_MAX_COLUMN.
  package static let maximumColumns = 2000
  /// The maximum number of properties of a compound index, as in PostgreSQL.
  private static let maximumIndexedProperties = 32
  /// The maximum number of bytes of a class name, as in Realm.
  private static let maximumClassNameBytes = 57
  /// The maximum number of bytes of a property name, as in Realm.
  package static let maximumPropertyNameBytes = 63
}
