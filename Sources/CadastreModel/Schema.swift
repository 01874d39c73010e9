/// The classes of a store.
public struct Schema: Hashable, Sendable {
  /// The classes, in order of name.
  public let objectSchema: [ObjectSchema]
  private let byName: [String: ObjectSchema]
  /// The embedded classes that hold themselves, directly or through others, and so fit no row.
  private let selfHolding: Set<String>

  /// A schema of the given classes; of two with one name the first counts.
  public init(_ classes: [ObjectSchema] = []) { self.init(classes, keepingApart: []) }

  /// A schema of the given classes, in which the objects of some embedded ones have rows of their own
  /// although they would fit their owners' rows.
  package init(_ classes: [ObjectSchema], keepingApart apart: Set<String>) {
    byName = Dictionary(classes.map { ($0.className, $0) }, uniquingKeysWith: { first, _ in first })
    objectSchema = byName.values.sorted { $0.className < $1.className }
    selfHolding = Self.selfHolding(byName).union(apart)
  }

  /// The class of a given name, or nil.
  public subscript(className: String) -> ObjectSchema? { byName[className] }

  /// The class that a link or an embedded property leads to, or nil.
  package func target(of property: Property) -> ObjectSchema? {
    property.objectClassName.flatMap { byName[$0] }
  }

  /// Whether a property holds one embedded object that is stored in its owner's row.
  package func isInline(_ property: Property) -> Bool {
    guard property.type == .object, property.collection == nil,
      let target = target(of: property), target.isEmbedded
    else { return false }
    return !selfHolding.contains(target.className)
  }

  /// Whether objects of a class may be kept in the rows of their owners.
  package func isKeptInline(_ className: String) -> Bool {
    objectSchema.contains { owner in
      owner.properties.contains { $0.objectClassName == className && isInline($0) }
    }
  }

  /// The embedded classes whose objects have rows of their own: those that hold themselves, and those
  /// in collections.
  package var embeddedClassesWithTable: Set<String> {
    let elements = objectSchema.flatMap(\.properties).compactMap { property in
      property.collection == nil ? nil : target(of: property)
    }
    return selfHolding.union(elements.filter(\.isEmbedded).map(\.className))
  }

  /// The embedded classes that hold themselves, directly or through others.
  package var selfHoldingClasses: Set<String> { selfHolding }

  private static func selfHolding(_ classes: [String: ObjectSchema]) -> Set<String> {
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
        var waiting = targets[start] ?? []
        while let next = waiting.popLast() {
          if next == start { return true }
          if reached.insert(next).inserted { waiting += targets[next] ?? [] }
        }
        return false
      })
  }

  /// Whether a property holds one embedded object in the shape of a GeoJSON point.
  package func isPoint(_ property: Property) -> Bool {
    property.type == .object && property.collection == nil
      && target(of: property)?.isPointShaped == true
  }
}

extension Schema: CustomStringConvertible {
  /// All classes with their properties.
  public var description: String {
    objectSchema.map(\.description).joined(separator: "\n")
  }
}
