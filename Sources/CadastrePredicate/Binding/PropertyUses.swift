package import CadastreModel

/// The properties whose values decide which objects a query matches.
package struct PropertyUses: Hashable, Sendable {
  /// A property and the class it belongs to.
  package struct Use: Hashable, Sendable {
    /// The name of the class, which may be an embedded one.
    package let className: String
    /// The name of the property.
    package let propertyName: String

    /// Names a property of a class.
    package init(_ className: String, _ propertyName: String) {
      self.className = className
      self.propertyName = propertyName
    }
  }

  /// The properties on all paths, collections and links included.
  package private(set) var properties: Set<Use> = []
  /// The classes whose links are traversed backwards, or whose objects any object may be related to:
  /// a new object of one of them may change the result.
  package private(set) var linkingClasses: Set<String> = []
  /// Whether links in values of any type are followed, so that any object may change the result.
  package private(set) var followsAnyLink = false

  /// The properties that a predicate and some paths read.
  package init(
    _ predicate: BoundPredicate, _ paths: some Sequence<BoundPath>, in schema: Schema
  ) {
    add(predicate, in: schema)
    for path in paths { add(path, in: schema) }
  }

  private mutating func add(_ path: BoundPath, in schema: Schema) {
    var owner = path.root.className
    for hop in path.hops {
      switch hop {
      case .property(let bound):
        let property = bound.property
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
      case .elements, .element, .entry, .keys, .count, .length, .type, .measure: break
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

  private mutating func add(_ predicate: BoundPredicate, in schema: Schema) {
    predicate.forEachLeaf { leaf in
      switch leaf {
      case .geoWithin(let within): add(within.path, in: schema)
      case .relation(let relation):
        for path in relation.paths { add(path, in: schema) }
        if case .objects(let objects) = relation.right { add(objects, in: schema) }
      case .comparison(let comparison):
        comparison.forEachOperand { add($0, in: schema) }
        let both = [comparison.left, comparison.right]
        // An object in a list or map of any values is deleted without a change of the value.
        if both.contains(where: \.looksUpObject), both.contains(where: \.readsAnyValue) {
          followsAnyLink = true
        }
      case .constant, .not, .and, .or: break
      }
    }
  }

  private mutating func add(_ objects: BoundObjectGeometries, in schema: Schema) {
    linkingClasses.insert(objects.className)
    add(objects.path, in: schema)
    add(objects.predicate, in: schema)
  }

  private mutating func add(_ operand: BoundOperand, in schema: Schema) {
    for path in operand.paths { add(path, in: schema) }
    switch operand {
    case .aggregate(let aggregate):
      if let member = aggregate.member { add(member, in: schema) }
    case .subquery(let subquery): add(subquery.predicate, in: schema)
    case .outer(let outer): add(outer.operand, in: schema)
    case .property, .elements, .value, .list, .constants, .object, .objects, .pattern, .arithmetic,
      .distance:
      break
    }
  }
}

extension BoundOperand {
  /// Whether the operand has an object that each run of the query looks up by its primary key.
  fileprivate var looksUpObject: Bool {
    func isLookedUp(_ object: ObjectReference) -> Bool {
      if case .primaryKey = object.identity { true } else { false }
    }
    return switch self {
    case .object(let object): isLookedUp(object)
    case .objects(let objects): objects.contains(where: isLookedUp)
    default: false
    }
  }

  /// Whether the operand is the value of a property of any type, or part of it.
  fileprivate var readsAnyValue: Bool {
    switch self {
    case .property(let path), .elements(_, let path):
      path.hops.contains { hop in
        if case .property(let bound) = hop { bound.property.type == .any } else { false }
      }
    default: false
    }
  }
}
