import CadastreFormatting

/// The classes of a store.
public struct Schema: Sendable {
  // Queries copy the schema often, so a copy is one reference.
  private let storage: Storage

  /// The classes, sorted by name.
  public var objectSchema: [ObjectSchema] { storage.objectSchema }

  /// The embedded classes whose objects have rows in a table, even as the value of a single property.
  ///
  /// These are the recursive classes, which contain themselves directly or through other classes, and
  /// the classes that the initialiser names.
  package var classesStoredApart: Set<String> { storage.classesStoredApart }

  /// The immutable contents, which all copies of a schema share.
  private final class Storage: Sendable {
    let objectSchema: [ObjectSchema]
    let byName: [String: ObjectSchema]
    let classesStoredApart: Set<String>
    let derived = Guarded<[(type: ObjectIdentifier, value: any AnyObject & Sendable)]>([])

    init(_ byName: [String: ObjectSchema], _ classesStoredApart: Set<String>) {
      self.byName = byName
      self.classesStoredApart = classesStoredApart
      objectSchema = byName.values.sorted { $0.className < $1.className }
    }
  }

  /// Creates a schema; of several classes with the same name the first one is used.
  ///
  /// - Parameter classes: The classes, in any order.
  /// - Complexity: O(n log n) in the number of classes.
  public init(_ classes: [ObjectSchema] = []) { self.init(classes, storedApart: []) }

  /// Creates a schema in which further embedded classes, named by `storedApart`, are stored in tables
  /// instead of in their owners' rows.
  package init(_ classes: [ObjectSchema], storedApart: Set<String>) {
    let byName = Dictionary(
      classes.map { ($0.className, $0) }, uniquingKeysWith: { first, _ in first })
    storage = Storage(byName, Self.recursiveClasses(byName).union(storedApart))
  }

  /// Returns the schema with some classes added, which replace those with their names.
  ///
  /// `classesStoredApart` stays as it is.
  package func replacing(_ classes: [ObjectSchema]) -> Schema {
    Schema(classes + objectSchema, storedApart: classesStoredApart)
  }

  /// Returns the class with a name; nil if there is none.
  public subscript(className: String) -> ObjectSchema? { storage.byName[className] }

  /// Returns the class of a property's linked or embedded objects; nil for other properties.
  package func target(of property: Property) -> ObjectSchema? {
    property.objectClassName.flatMap { storage.byName[$0] }
  }

  /// Returns whether a property is an embedded object that is stored in its owner's row.
  package func isInline(_ property: Property) -> Bool {
    guard property.type == .object, property.collection == nil,
      let target = target(of: property), target.isEmbedded
    else { return false }
    return !classesStoredApart.contains(target.className)
  }

  /// Returns whether a property stores objects of a class in their owner's row.
  package func isStoredInline(_ className: String) -> Bool {
    objectSchema.contains { owner in
      owner.properties.contains { $0.objectClassName == className && isInline($0) }
    }
  }

  /// The embedded classes with a table: `classesStoredApart`, and the classes of elements of collections.
  package var embeddedClassesWithTable: Set<String> {
    let elements = objectSchema.flatMap(\.properties).compactMap { property in
      property.collection == nil ? nil : target(of: property)
    }
    return classesStoredApart.union(elements.filter(\.isEmbedded).map(\.className))
  }

  /// Returns the embedded classes that contain themselves, directly or through other classes.
  private static func recursiveClasses(_ classes: [String: ObjectSchema]) -> Set<String> {
    var targets: [String: [String]] = [:]
    for (name, objectSchema) in classes where objectSchema.isEmbedded {
      targets[name] = objectSchema.properties.compactMap { property in
        guard property.collection == nil, let target = property.objectClassName,
          classes[target]?.isEmbedded == true
        else { return nil }
        return target
      }
    }
    return Set(
      targets.keys.filter { start in
        var reached: Set<String> = []
        var pending = targets[start] ?? []
        while let next = pending.popLast() {
          if next == start { return true }
          if reached.insert(next).inserted { pending += targets[next] ?? [] }
        }
        return false
      })
  }

  /// Returns whether a property is an embedded object with the properties of a GeoJSON point.
  package func isPoint(_ property: Property) -> Bool {
    property.type == .object && property.collection == nil
      && target(of: property)?.isPointShaped == true
  }
}

extension Schema {
  /// Returns a value that another target derives from the schema.
  ///
  /// The first call for a type makes the value; all copies of the schema share it.
  package func derived<Derived: AnyObject & Sendable>(_ make: () -> Derived) -> Derived {
    storage.derived.withLock { derived in
      for entry in derived where entry.type == ObjectIdentifier(Derived.self) {
        if let existing = entry.value as? Derived { return existing }
      }
      let made = make()
      derived.append((ObjectIdentifier(Derived.self), made))
      return made
    }
  }
}

extension Schema: Hashable {
  /// Returns whether two schemas have the same classes, stored in the same way.
  public static func == (first: Schema, second: Schema) -> Bool {
    first.isIdentical(to: second)
      || first.classesStoredApart == second.classesStoredApart
        && first.objectSchema == second.objectSchema
  }

  /// Returns whether two schemas share their contents.
  ///
  /// Separately created schemas may be equal too.
  ///
  /// - Complexity: O(1).
  package func isIdentical(to other: Schema) -> Bool { storage === other.storage }

  /// Hashes the classes.
  public func hash(into hasher: inout Hasher) { hasher.combine(objectSchema) }
}

// MARK: - Description, in the format of Realm

extension Schema: CustomStringConvertible {
  /// All classes in the order of their names, with their properties.
  public var description: String {
    block("Schema", objectSchema.sorted { $0.className < $1.className }.map(\.description))
  }
}

extension ObjectSchema: CustomStringConvertible {
  /// The class, its properties with all their attributes, and its compound indexes.
  public var description: String {
    block(
      className + (isEmbedded ? " (embedded)" : ""),
      (properties + computedProperties).map(\.description)
        + compoundIndexes.map { "index = (\($0.joined(separator: ", ")));" })
  }

  /// The class, its properties and its compound indexes, one per line.
  package var summary: String {
    let head = "\(printable(className))\(isEmbedded ? " (embedded)" : "")"
    let indexes = compoundIndexes.map { "index on \(printable($0.joined(separator: ", ")))" }
    return ([head] + ((properties + computedProperties).map(\.summary) + indexes).map { "  " + $0 })
      .joined(separator: "\n")
  }
}

extension Property: CustomStringConvertible {
  /// The name, and all attributes, one per line.
  public var description: String {
    var attributes = ["type = \(type)"]
    if type == .object || type == .linkingObjects {
      attributes.append("objectClassName = \(objectClassName ?? "(null)")")
      attributes.append("linkOriginPropertyName = \(linkOriginPropertyName ?? "(null)")")
    }
    attributes.append("columnName = \(columnName)")
    let flags = [
      ("indexed", isIndexed), ("isPrimary", isPrimaryKey), ("array", isArray), ("set", isSet),
      ("dictionary", isMap), ("optional", isOptional),
    ]
    attributes += flags.map { "\($0) = \($1 ? "YES" : "NO")" }
    return block(name, attributes.map { $0 + ";" })
  }
}

/// Returns a head, and indented lines in braces.
private func block(_ head: String, _ members: [String]) -> String {
  let lines = members.map { "\t" + $0.split(separator: "\n").joined(separator: "\n\t") }
  return (["\(head) {"] + lines + ["}"]).joined(separator: "\n")
}
