package import CadastreModel

/// The properties whose values decide what a predicate finds.
package struct PropertyUses: Hashable, Sendable {
  /// A property and the class it belongs to.
  package struct Use: Hashable, Sendable {
    /// The class, which may be an embedded one.
    package let className: String
    /// The name of the property.
    package let propertyName: String

    /// Names a property of a class.
    package init(_ className: String, _ propertyName: String) {
      self.className = className
      self.propertyName = propertyName
    }
  }

  /// The properties on the way and at the end of all paths, collections and links included.
  package private(set) var properties: Set<Use> = []
  /// The classes whose objects are found by the links that they hold: a new object of one of them
  /// may decide too.
  package private(set) var linkingClasses: Set<String> = []
  /// Whether links in values of any type are followed, so that any object may decide.
  package private(set) var followsAnyLink = false

  /// Adds what a path reads, if it fits the schema.
  package mutating func add(_ path: PropertyPath, from root: ObjectSchema, in schema: Schema) {
    guard let route = try? schema.route(path, from: root) else { return }
    var owner = root.className
    for hop in route.hops {
      switch hop {
      case .property(let property):
        if property.type == .linkingObjects {
          let origin = property.objectClassName ?? ""
          properties.insert(Use(origin, property.linkOriginPropertyName ?? ""))
          linkingClasses.insert(origin)
        } else {
          properties.insert(Use(owner, property.name))
        }
        owner = property.objectClassName ?? owner
      case .incomingLinks: addLinks(to: owner, in: schema)
      case .member: followsAnyLink = true
      case .elements, .element, .entry, .keys, .count, .length, .type: break
      }
    }
  }

  private mutating func addLinks(to className: String, in schema: Schema) {
    for source in schema.objectSchema {
      for property in source.properties
      where property.objectClassName == className || property.type == .any {
        properties.insert(Use(source.className, property.name))
        linkingClasses.insert(source.className)
      }
    }
  }
}

extension QueryPredicate {
  /// The properties whose values decide which objects of a class match.
  package func propertyUses(from root: ObjectSchema, in schema: Schema) -> PropertyUses {
    var uses = PropertyUses()
    for path in paths { uses.add(path, from: root, in: schema) }
    return uses
  }
}
