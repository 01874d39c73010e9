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
    uses.add(self, from: root, in: schema)
    return uses
  }
}

extension PropertyUses {
  fileprivate mutating func add(
    _ predicate: QueryPredicate, from root: ObjectSchema, in schema: Schema
  ) {
    var waiting = [predicate]
    while let next = waiting.popLast() {
      switch next {
      case .constant: break
      case .not(let inner): waiting.append(inner)
      case .and(let parts), .or(let parts): waiting += parts
      case .geoWithin(let within): add(within.path, from: root, in: schema)
      case .comparison(let comparison):
        add(comparison.left, from: root, in: schema)
        add(comparison.right, from: root, in: schema)
      }
    }
  }

  private mutating func add(_ operand: Operand, from root: ObjectSchema, in schema: Schema) {
    switch operand {
    case .property(let path), .elements(_, let path): add(path, from: root, in: schema)
    case .aggregate(let aggregate):
      add(aggregate.collection, from: root, in: schema)
      // The objects in a map are no keys of it, so their paths begin at their own class.
      guard let member = aggregate.member,
        let target = schema.target(of: aggregate.collection, from: root)
      else { return }
      add(member, from: target, in: schema)
    case .subquery(let subquery):
      add(subquery.collection, from: root, in: schema)
      guard let target = schema.target(of: subquery.collection, from: root) else { return }
      add(subquery.predicate, from: target, in: schema)
    case .arithmetic(let arithmetic):
      add(arithmetic.left, from: root, in: schema)
      add(arithmetic.right, from: root, in: schema)
    case .value, .list, .object, .objects, .members, .constants: break
    }
  }
}

extension Schema {
  /// The class of the objects in a collection; nil for values.
  fileprivate func target(of collection: PropertyPath, from root: ObjectSchema) -> ObjectSchema? {
    guard case .object(let target)? = (try? route(collection, from: root))?.entered.end else {
      return nil
    }
    return target
  }
}
