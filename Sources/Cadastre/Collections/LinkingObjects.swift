public import CadastreModel
import CadastreQuery
import CadastreStore

/// The objects that link to an object through one of their properties.
///
///     class Dog: Object {
///       @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
///     }
///
/// The collection is live and read from the link index. An object whose list contains two links to this
/// object occurs twice. The collection of an unmanaged object is empty.
public struct LinkingObjects<Element: ObjectBase & RealmCollectionValue> {
  private let known: LinkSearch?
  /// The storage of a property of a model without `@Persisted`.
  private let declared: DeclaredLinks?

  /// Creates an empty collection; in a managed object, the property returns the objects that link to it.
  public init() { self.init(nil) }

  init(_ source: LinkSearch?) {
    known = source
    declared = nil
  }

  /// Declares a property of a model without `@Persisted`: the objects of a class that link here through one
  /// of its properties.
  ///
  ///     let owners = LinkingObjects(fromType: Person.self, property: "dogs")
  public init(fromType _: Element.Type, property propertyName: String) {
    known = nil
    declared = DeclaredLinks(originProperty: propertyName)
  }

  private var source: LinkSearch? { known ?? declared?.search }

  /// The property that links here, in a model without `@Persisted`.
  var originProperty: String? { declared?.originProperty }

  func bind(to owner: ObjectBase, _ property: Int) {
    declared?.schemaProperty = owner.classInfo.schema.computedProperties[property]
    declared?.boundProperty = BoundCollectionProperty(property, of: owner)
  }

  func noteRead() { declared?.boundProperty?.noteComputedRead() }
}

/// A property type whose value is computed from links.
@_documentation(visibility: internal)
public protocol LinkingObjectsProtocol: Persistable {}

@_documentation(visibility: internal)
extension LinkingObjects: LinkingObjectsProtocol {
  /// The property's shape in the schema.
  public static var propertyShape: PropertyShape {
    PropertyShape(type: .linkingObjects, objectType: Element.self)
  }
  /// Returns an empty collection.
  public static func makeDefaultValue() -> LinkingObjects { LinkingObjects() }
  /// Returns the objects that link to a managed object.
  public static func read(from object: ObjectBase, property: Int) -> LinkingObjects {
    guard object.recording != nil else { return LinkingObjects(LinkSearch(to: object, property)) }
    object.recordComputed(property)
    let links = LinkingObjects(fromType: Element.self, property: "")
    links.bind(to: object, property)
    return links
  }
  /// Stops the process: links are set on the linking objects.
  public static func write(_ value: LinkingObjects, to object: ObjectBase, property: Int) {
    ProgrammingError.stop("Linking objects cannot be set: set the links of the objects themselves.")
  }
  /// Returns no elements: linking objects are not stored.
  public static func content(of value: LinkingObjects) -> PropertyContent { .elements([]) }
  /// Returns nil: linking objects cannot be set.
  public static func make(fromDynamic value: Any?) -> LinkingObjects? { nil }
  /// Returns nil: linking objects are not stored.
  public static func make(
    fromStored value: Value, in context: StoredContext
  ) -> LinkingObjects? { nil }
}

extension LinkingObjects: RealmCollection {
  /// The source of the elements.
  @_documentation(visibility: internal)
  public var handle: CollectionHandle { CollectionHandle(source) }
  /// The index of the first element: 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int { source?.count ?? 0 }

  /// The object at an index; one out of bounds stops the process.
  public subscript(index: Int) -> Element {
    if let recorded = declared?.boundProperty?.recordedElement(Element.self, ofComputed: true) {
      return recorded
    }
    let count = count
    guard let source, (0..<count).contains(index) else {
      ProgrammingError.stop("Index \(index) is out of bounds (must be less than \(count)).")
    }
    return StoredElement.make(source.value(at: index), source.context(at: index))
  }

  /// Iterates over the current objects; later changes do not affect the iteration.
  public func makeIterator() -> AnyIterator<Element> {
    guard let source else { return AnyIterator([].makeIterator()) }
    return AnyIterator(source.elements().makeIterator())
  }

  /// Returns whether both are the same property of the same object.
  public static func == (first: LinkingObjects, second: LinkingObjects) -> Bool {
    switch (first.source, second.source) {
    case (nil, nil): true
    case (let first?, let second?): first.isSame(as: second)
    default: false
    }
  }
}

/// The storage of linking objects in a model without `@Persisted`, shared by the copies of the property's
/// value.
final class DeclaredLinks {
  let originProperty: String
  var schemaProperty: Property?
  var boundProperty: BoundCollectionProperty?
  private var known: LinkSearch?

  init(originProperty: String) { self.originProperty = originProperty }

  /// The search for linking objects; nil until a Realm manages the object.
  var search: LinkSearch? {
    if let known { return known }
    guard let position = boundProperty?.position, let schemaProperty else { return nil }
    known = LinkSearch(position, schemaProperty)
    return known
  }
}

/// The objects that link to a managed object.
final class LinkSearch: ElementSource {
  /// The row of a linking object, and the layout of the object in the row if it is embedded.
  private typealias Match = (key: Int64, table: ManagedTable, embedded: EmbeddedLayout?)

  let property: Property
  let position: ObjectPosition
  private let locations: [LinkLocation]
  private var cachedMatches: (generation: UInt64, matches: [Match])?
  let core: RealmCore
  let table: ManagedTable?

  /// Creates a search for the objects that link to a managed object; nil for an unmanaged object.
  convenience init?(to object: ObjectBase, _ property: Int) {
    guard let position = object.position else { return nil }
    self.init(position, object.classInfo.schema.computedProperties[property])
  }

  init(_ position: ObjectPosition, _ property: Property) {
    self.position = position
    self.property = property
    core = position.row.core
    table = property.objectClassName.flatMap(core.table(named:))
    locations = core.linkLocations(of: property)
  }

  var isValid: Bool { position.isValid }
  var isReadable: Bool { position.isReadable }
  var kindName: String { "LinkingObjects" }
  var dependencies: QueryDependencies? { nil }
  var count: Int { matches.count }
  func value(at index: Int) -> Value {
    let matches = matches
    return matches.indices.contains(index) ? .link(ObjectKey(matches[index].key)) : .null
  }
  func values() -> [Value] { matches.map { .link(ObjectKey($0.key)) } }

  /// Returns the current linking objects.
  func elements<Element: RealmCollectionValue>() -> [Element] {
    matches.map { match in
      StoredElement.make(
        .link(ObjectKey(match.key)),
        StoredContext(core, table: match.table, embedded: match.embedded))
    }
  }

  /// Returns the current linking objects as instances of their class.
  func objects(of type: ObjectBase.Type) -> [ObjectBase] {
    matches.compactMap { match in
      let row = ManagedRow(match.table, ObjectKey(match.key))
      guard let embedded = match.embedded else {
        return match.table.info.makeInstance(of: type, at: ObjectPosition(row))
      }
      return core.object(type, at: ObjectPosition(row, embedded))
    }
  }

  func context(at index: Int) -> StoredContext {
    let matches = matches
    guard matches.indices.contains(index) else { return StoredContext(core, table: table) }
    return StoredContext(core, table: matches[index].table, embedded: matches[index].embedded)
  }

  func isSame(as other: any ElementSource) -> Bool {
    guard let other = other as? LinkSearch else { return false }
    return property == other.property
      && position.isSameObject(as: other.position)
  }

  /// Whether linking objects may be embedded in the rows of their owners.
  var hasObjectsWithoutRow: Bool { locations.contains { $0.embedded != nil } }

  private var matches: [Match] {
    core.exclusively {
      requireValid()
      if let cachedMatches, cachedMatches.generation == core.currentGeneration {
        return cachedMatches.matches
      }
      return core.attempt(or: []) {
        let matches = try search()
        cachedMatches = (core.currentGeneration, matches)
        return matches
      }
    }
  }

  private func search() throws -> [Match] {
    var matches: [Match] = []
    for location in locations {
      guard let table = core.table(named: location.layout.schema.className) else { continue }
      for key in try keys(in: location, table) { matches.append((key, table, location.embedded)) }
    }
    return matches
  }

  private func keys(in location: LinkLocation, _ table: ManagedTable) throws -> [Int64] {
    guard let target = position.embeddedLayout else {
      return try location.keys(linkingTo: position.row.key, core.currentReader())
    }
    // Only the owner links to an embedded object in its row.
    guard case .embedded(let held) = location.field, held == target,
      position.row.table.isSame(as: table)
    else { return [] }
    return [position.row.key.rawValue]
  }
}

extension LinkSearch {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    position.counterpart(in: core).map { LinkSearch($0, property) }
  }
}
