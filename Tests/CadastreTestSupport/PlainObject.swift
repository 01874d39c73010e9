package import CadastreModel
import CadastrePredicate

/// A member of an object in plain Swift.
package indirect enum Member: Hashable, Sendable {
  /// A single value, null included.
  case value(Value)
  /// The elements of a list or a set; links in a collection of objects.
  case list([Value])
  /// The entries of a map; links and nulls in a map of objects.
  case map(ValueMap)
  /// An embedded object.
  case embedded(PlainObject)
  /// The embedded objects of a list.
  case embeddedList([PlainObject])
  /// The embedded objects of a map.
  case embeddedMap([String: PlainObject])
}

/// The members of an object by name; a missing member is null.
package typealias PlainObject = [String: Member]

/// Objects in plain Swift: the expected content of a store, and the data of the oracle.
package struct PlainObjects: Sendable {
  /// The classes.
  package let schema: Schema
  private var objects: [String: [Int64: PlainObject]] = [:]
  private var nextKeys: [String: Int64]

  /// Creates a collection without objects.
  ///
  /// - Parameters:
  ///   - schema: The classes.
  ///   - firstKeys: The key of the first object of some classes; by default 1.
  package init(schema: Schema, firstKeys: [String: Int64] = [:]) {
    self.schema = schema
    nextKeys = firstKeys
  }

  /// Adds an object with the key that a store would give it.
  @discardableResult
  package mutating func insert(_ className: String, _ object: PlainObject) -> Int64 {
    let key = nextKeys[className] ?? 1
    nextKeys[className] = key + 1
    objects[className, default: [:]][key] = object
    return key
  }

  /// Changes members of an object.
  package mutating func update(_ className: String, _ key: Int64, _ changes: PlainObject) {
    objects[className]?[key]?.merge(changes) { _, new in new }
  }

  /// Removes an object, sets links to it to null, and removes it from lists and sets.
  package mutating func delete(_ className: String, _ key: Int64) {
    objects[className]?[key] = nil
    let link = Value.link(ObjectKey(key))
    for owner in schema.objectSchema {
      for property in owner.properties where property.objectClassName == className {
        for (other, object) in objects[owner.className] ?? [:] {
          guard let member = object[property.name] else { continue }
          objects[owner.className]?[other]?[property.name] = member.without(link)
        }
      }
    }
  }

  /// Returns the keys of a class, ascending.
  package func keys(_ className: String) -> [Int64] { (objects[className] ?? [:]).keys.sorted() }

  /// Returns the object with a key.
  package func object(_ className: String, _ key: Int64) -> PlainObject? {
    objects[className]?[key]
  }
}

extension Member {
  /// Returns the member without a link whose object was removed.
  fileprivate func without(_ link: Value) -> Member {
    switch self {
    case .value(let value): .value(value == link ? .null : value)
    case .list(let values): .list(values.filter { $0 != link })
    case .map(let map):
      .map(ValueMap(map.entries.map { ($0.key, $0.value == link ? .null : $0.value) }))
    case .embedded, .embeddedList, .embeddedMap: self
    }
  }
}

/// A plain object, or one embedded in it, as a subject of the reference evaluator.
package struct PlainSubject: PredicateSubject {
  private let objects: PlainObjects
  private let schema: ObjectSchema
  private let members: PlainObject
  /// The row in which a store would store the object; nil for embedded objects with rows of their own, whose
  /// keys only the store determines.
  private let row: ObjectAddress?
  /// The path from the object of the row; nil for the object of the row itself.
  private let path: PropertyPath?

  /// Creates the subject of an object that is not embedded.
  package init(_ objects: PlainObjects, _ schema: ObjectSchema, _ key: Int64) {
    self.objects = objects
    self.schema = schema
    row = ObjectAddress(className: schema.className, key: ObjectKey(key))
    path = nil
    members = objects.object(schema.className, key) ?? [:]
  }

  private init(
    _ inner: PlainObject, _ schema: ObjectSchema, at property: Property, of owner: PlainSubject
  ) {
    let isInline = owner.objects.schema.isInline(property)
    objects = owner.objects
    self.schema = schema
    row = isInline ? owner.row : nil
    path = owner.path?.appending(property.name) ?? PropertyPath([property.name])
    members = inner
  }

  package var identity: Value {
    guard let row else { return .bool(true) }
    // No location has had more than one object.
    return path.map { .embedded(in: row, at: $0, number: 1) } ?? .object(row)
  }

  // MARK: Single values and objects

  package func value(of property: Property) -> Value {
    if case .value(let value)? = members[property.name] { value } else { .null }
  }

  package func object(at property: Property) -> (any PredicateSubject)? {
    switch members[property.name] {
    case .embedded(let inner)?: embedded(inner, property)
    case .value(let link)?: object(link, property)
    default: nil
    }
  }

  package func object(at address: ObjectAddress) -> (any PredicateSubject)? {
    guard let target = objects.schema[address.className],
      objects.object(address.className, address.key.rawValue) != nil
    else { return nil }
    return PlainSubject(objects, target, address.key.rawValue)
  }

  package func objects(of className: String) -> [any PredicateSubject] {
    guard let target = objects.schema[className] else { return [] }
    return objects.keys(className).map { PlainSubject(objects, target, $0) }
  }

  private func object(_ link: Value, _ property: Property) -> (any PredicateSubject)? {
    guard case .link(let key) = link, let target = objects.schema.target(of: property) else {
      return nil
    }
    return PlainSubject(objects, target, key.rawValue)
  }

  private func embedded(
    _ inner: PlainObject, _ property: Property
  ) -> (any PredicateSubject)? {
    objects.schema.target(of: property).map { PlainSubject(inner, $0, at: property, of: self) }
  }

  // MARK: Collections

  package func elements(of property: Property) -> [Value] {
    switch members[property.name] {
    case .list(let values)? where property.isSet: Self.ascending(values)
    case .list(let values)?: values
    case .map(let map)?: map.entries.map(\.value)
    default: []
    }
  }

  /// Returns the distinct values in ascending order.
  private static func ascending(_ values: [Value]) -> [Value] {
    values.sorted { $0.ordering($1) == .ascending }.reduce(into: []) { found, value in
      if found.last.map({ $0.ordering(value) == .same }) != true { found.append(value) }
    }
  }

  package func objects(in property: Property) -> [(any PredicateSubject)?] {
    if property.type == .linkingObjects { return linkingObjects(property) }
    return switch members[property.name] {
    case .embeddedList(let inner)?: inner.map { embedded($0, property) }
    case .embeddedMap(let inner)?:
      Self.byteOrdered(inner.keys).map { inner[$0].flatMap { embedded($0, property) } }
    default: elements(of: property).map { object($0, property) }
    }
  }

  package func keys(of property: Property) -> [String] {
    switch members[property.name] {
    case .map(let map)?: map.keys
    case .embeddedMap(let inner)?: Self.byteOrdered(inner.keys)
    default: []
    }
  }

  private static func byteOrdered(_ keys: some Sequence<String>) -> [String] {
    keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  // MARK: Links that come here

  private func linkingObjects(_ property: Property) -> [(any PredicateSubject)?] {
    guard let source = objects.schema.target(of: property),
      let origin = source[property.linkOriginPropertyName ?? ""]
    else { return [] }
    return objects.keys(source.className).flatMap { other in
      let subject = PlainSubject(objects, source, other)
      return Array(repeating: subject, count: subject.links(to: self, by: origin))
    }
  }

  package var incomingLinkCount: Int {
    objects.schema.objectSchema.reduce(0) { count, source in
      objects.keys(source.className).reduce(count) { count, other in
        let subject = PlainSubject(objects, source, other)
        return source.properties.reduce(count) { $0 + subject.links(to: self, by: $1) }
      }
    }
  }

  private func links(to target: PlainSubject, by property: Property) -> Int {
    guard let address = target.row, target.path == nil else { return 0 }
    let values: [Value] =
      switch members[property.name] {
      case .value(let value)?: [value]
      case .list?, .map?: elements(of: property)
      default: []
      }
    if property.type == .any { return values.reduce(0) { $0 + $1.links(to: address) } }
    guard property.objectClassName == address.className else { return 0 }
    return values.count { $0 == .link(address.key) }
  }
}

extension Value {
  /// Returns the number of links to an object in a value of any type.
  fileprivate func links(to address: ObjectAddress) -> Int {
    switch self {
    case .object(let found): found == address ? 1 : 0
    case .list(let values): values.reduce(0) { $0 + $1.links(to: address) }
    case .map(let map): map.entries.reduce(0) { $0 + $1.value.links(to: address) }
    default: 0
    }
  }
}
