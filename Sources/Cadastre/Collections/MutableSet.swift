public import CadastreModel
import CadastreStore
internal import OrderedCollections

/// A collection of distinct values as a property of an object.
///
///     class Traveller: Object {
///       @Persisted var citiesVisited: MutableSet<String>
///     }
///
///     try realm.write {
///       traveller.citiesVisited.insert("Paris")
///       traveller.citiesVisited.remove("Lyon")
///     }
///
/// Elements are equal if they are equal in queries, and NaN is equal to itself: see <doc:Equality>. In a set
/// of `AnyRealmValue`, numbers of different types with the same value are one element; texts with different
/// bytes are two elements. Objects are equal if they are the same row. The set of a managed object iterates
/// in ascending order, and changes only in a write transaction.
///
/// - Complexity: For n elements of a managed set: `insert`, `remove` and `contains` O(log n) unless elements
///   are decimals; the first access by index O(n log n).
public final class MutableSet<Element: RealmCollectionValue> {
  /// The elements of an unmanaged set.
  private var unmanaged: OrderedDictionary<ElementKey<Element>, Element> = [:]
  /// Whether the elements were loaded, or replaced by the program.
  var isLoaded = true
  private var cachedSource: StoredSet?
  /// The managed property to which the set is bound.
  private var boundProperty: BoundCollectionProperty?

  /// Creates an unmanaged empty set.
  public init() {}

  init(_ source: StoredSet) { cachedSource = source }

  private var source: StoredSet? {
    if let cachedSource { return cachedSource }
    cachedSource = boundProperty?.source as? StoredSet
    return cachedSource
  }

  private var all: [Element] {
    guard let source else { return Array(unmanaged.values) }
    let context = StoredContext(source.core, table: source.table)
    return source.countedValues().map { StoredElement.make($0, context) }
  }

  /// Replaces the elements of an unmanaged set.
  private func fill(_ elements: [Element]) {
    unmanaged = OrderedDictionary(
      elements.map { (ElementKey($0), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the stored form of an element to search for; nil for an object that this Realm does not manage.
  private func lookedFor(_ element: Element, _ source: StoredSet) -> Value? {
    switch Element.content(of: element) {
    case .value(let value): value
    case .object(let object):
      object.position.flatMap { position in
        guard position.row.core === source.core else { return nil }
        return source.layout.element.type == .any
          ? .object(position.row.address) : .link(position.row.key)
      }
    case .elements, .entries: nil
    }
  }
}

// MARK: Changing

extension MutableSet {
  /// Adds an element, unless the set contains it.
  public func insert(_ element: Element) {
    guard let source else {
      let key = ElementKey(element)
      if unmanaged[key] == nil { unmanaged[key] = element }
      return
    }
    source.requireWrite()
    _ = source.insert(source.stored(Element.content(of: element)))
  }

  /// Adds the elements that the set does not contain.
  public func insert<Elements: Sequence>(objectsIn newElements: Elements)
  where Elements.Element == Element {
    let newElements = Array(newElements)
    source?.requireWrite()
    for element in newElements { insert(element) }
  }

  /// Removes an element, if the set contains it.
  public func remove(_ element: Element) {
    guard let source else {
      unmanaged[ElementKey(element)] = nil
      return
    }
    source.requireWrite()
    if let value = lookedFor(element, source) { _ = source.remove(value) }
  }

  /// Removes all elements.
  public func removeAll() {
    isLoaded = true
    guard let source else { return unmanaged.removeAll() }
    source.requireWrite()
    source.removeAll()
  }

  /// Adds the elements of another set.
  public func formUnion(_ other: MutableSet) {
    requireSameRealm(other)
    insert(objectsIn: other.all)
  }

  /// Removes the elements that are not in another set.
  public func formIntersection(_ other: MutableSet) {
    requireSameRealm(other)
    source?.requireWrite()
    for element in all where !other.contains(element) { remove(element) }
  }

  /// Removes the elements of another set.
  public func subtract(_ other: MutableSet) {
    requireSameRealm(other)
    source?.requireWrite()
    for element in other.all { remove(element) }
  }

  /// Stops the process if this set is managed and the other one is not managed by the same Realm.
  private func requireSameRealm(_ other: MutableSet) {
    guard let source else { return }
    guard let theirs = other.source, theirs.core === source.core else {
      ProgrammingError.stop(
        "Right hand side value must be a managed set of the same Realm: add it to the Realm first, or "
          + "use insert(objectsIn:).")
    }
  }
}

// MARK: Queries

extension MutableSet {
  /// Returns whether the set contains a value.
  public func contains(_ element: Element) -> Bool {
    guard let source else { return unmanaged[ElementKey(element)] != nil }
    return lookedFor(element, source).map(source.contains) ?? false
  }

  /// Returns whether another set contains all elements.
  public func isSubset(of other: MutableSet) -> Bool {
    requireSameRealm(other)
    return count <= other.count && all.allSatisfy(other.contains)
  }

  /// Returns whether another set contains at least one of the elements.
  public func intersects(_ other: MutableSet) -> Bool {
    requireSameRealm(other)
    return all.contains(where: other.contains)
  }
}

extension MutableSet: RealmCollection {
  /// The source of the elements.
  @_documentation(visibility: internal)
  public var handle: CollectionHandle { CollectionHandle(source) }

  /// The index of the first element: 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int { source?.count ?? unmanaged.count }

  /// The element at an index; one out of bounds stops the process.
  public subscript(index: Int) -> Element {
    if source == nil, let recorded = boundProperty?.recordedElement(Element.self) {
      return recorded
    }
    guard (0..<count).contains(index) else {
      ProgrammingError.stop(
        index < 0
          ? "Cannot pass a negative value for 'index': \(index)."
          : "Index \(index) is out of bounds (must be less than \(count)).")
    }
    guard let source else { return unmanaged.values[index] }
    return StoredElement.make(source.value(at: index), source.context(at: index))
  }

  /// Iterates over the current elements; later changes do not affect the iteration.
  public func makeIterator() -> AnyIterator<Element> { AnyIterator(all.makeIterator()) }

  /// Returns whether both are the same property of the same object; for unmanaged sets, whether their
  /// elements are equal.
  public static func == (first: MutableSet, second: MutableSet) -> Bool {
    switch (first.source, second.source) {
    case (nil, nil): first === second || Set(first.unmanaged.keys) == Set(second.unmanaged.keys)
    case (let first?, let second?): first.isSame(as: second)
    default: false
    }
  }
}

// MARK: As a property

@_documentation(visibility: internal)
extension MutableSet: Persistable {
  /// The property's shape in the schema.
  public static var propertyShape: PropertyShape { .collection(.set, of: Element.self) }
  /// Returns an empty set.
  public static func makeDefaultValue() -> MutableSet { MutableSet() }
  /// Returns the set of a managed object.
  public static func read(from object: ObjectBase, property: Int) -> MutableSet {
    guard let source = object.elementSource(property, isChecked: false) as? StoredSet else {
      object.record(property)
      let set = MutableSet()
      set.boundProperty = BoundCollectionProperty(property, of: object)
      return set
    }
    return MutableSet(source)
  }
  /// Replaces the elements of a managed set by the elements of another set.
  public static func write(_ value: MutableSet, to object: ObjectBase, property: Int) {
    let set = read(from: object, property: property)
    guard set != value else { return }
    let unmanaged = value.all
    set.removeAll()
    set.insert(objectsIn: unmanaged)
  }
  /// Returns the current set with the new elements.
  public static func assigned(
    _ value: MutableSet, over current: @autoclosure () -> MutableSet
  ) -> MutableSet {
    let current = current()
    if value !== current { current.fill(value.all) }
    current.isLoaded = value.isLoaded
    return current
  }
  /// Returns the elements.
  public static func content(of value: MutableSet) -> PropertyContent {
    .elements(value.all.map { Element.content(of: $0) })
  }
  /// Returns a set of the elements of another collection; nil if an element does not fit its type.
  public static func make(fromDynamic value: Any?) -> MutableSet? {
    if let value, DynamicValue.isInstance(value), let set = value as? MutableSet { return set }
    if DynamicValue.isNull(value) { return MutableSet() }
    guard let elements: [Element] = DynamicValue.elements(value) else { return nil }
    let set = MutableSet()
    set.fill(elements)
    return set
  }
  /// Returns nil: a set cannot be an element.
  public static func make(fromStored value: Value, in context: StoredContext) -> MutableSet? { nil }
  /// Binds the set to its property when the object becomes managed.
  public static func attach(_ value: consuming MutableSet, to object: ObjectBase, property: Int) {
    guard !isKnownUniquelyReferenced(&value), value.cachedSource == nil,
      let boundProperty = BoundCollectionProperty(property, of: object)
    else {
      return
    }
    value.boundProperty = boundProperty
    value.unmanaged = [:]
  }

  func noteRead() { boundProperty?.noteRead() }
}

extension MutableSet: Encodable where Element: Encodable {}

extension MutableSet: Decodable where Element: Decodable {
  /// Reads the elements from an unkeyed container; equal elements are one element.
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd { insert(try container.decode(Element.self)) }
  }
}
