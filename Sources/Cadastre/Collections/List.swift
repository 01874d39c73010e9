public import CadastreModel
public import Foundation

/// An ordered collection as a property of an object; elements may repeat.
///
///     class Route: Object {
///       @Persisted var stops: List<String>
///       @Persisted var airports: List<Airport>
///     }
///
///     try realm.write {
///       route.stops.append(objectsIn: ["Gate", "Runway"])
///       route.airports.insert(airport, at: 0)
///     }
///
/// The list of a managed object reads from and writes to the store, and changes only in a write transaction.
/// Removing an object from a list does not delete it; removing an embedded object does.
///
/// - Complexity: For n elements of a managed list: `append`, `first` and `last` O(log n); `count` O(1).
///   Access by index is O(log n) after the positions of the elements were read once for each version in O(n).
///   `insert` and `remove` also move the elements that follow in memory.
public final class List<Element: RealmCollectionValue> {
  /// The elements of an unmanaged list.
  private var unmanaged: [Element] = []
  /// Whether the elements were loaded, or replaced by the program.
  var isLoaded = true
  private var cachedSource: (any MutableElementSource)?
  /// The managed property to which the list is bound.
  private var boundProperty: BoundCollectionProperty?

  /// Creates an unmanaged empty list.
  public init() {}

  init(_ source: any MutableElementSource) { cachedSource = source }

  /// The stored elements; nil for an unmanaged list.
  var source: (any MutableElementSource)? {
    if let cachedSource { return cachedSource }
    cachedSource = boundProperty?.source as? any MutableElementSource
    return cachedSource
  }

  private func element(at index: Int, of source: any MutableElementSource) -> Element {
    StoredElement.make(source.value(at: index), source.context(at: index))
  }

  private var all: [Element] {
    guard let source else { return unmanaged }
    return source.countedValues().enumerated().map { index, value in
      StoredElement.make(value, source.context(at: index))
    }
  }

  /// Stops the process for an index that is out of bounds.
  private func check(_ index: Int, upTo end: Int, _ name: String = "index") {
    guard index < 0 || index >= end else { return }
    ProgrammingError.stop(
      index < 0
        ? "Cannot pass a negative value for '\(name)': \(index)."
        : "Index \(index) is out of bounds (must be less than \(end)).")
  }

  private func check(_ range: Range<Int>) {
    guard range.lowerBound >= 0, range.upperBound <= count else {
      ProgrammingError.stop("Range \(range) is out of bounds (must lie within 0..<\(count)).")
    }
  }
}

// MARK: Changing

extension List {
  /// Adds an element at the end; an unmanaged object is added to the Realm of the list.
  public func append(_ element: Element) {
    guard let source else { return unmanaged.append(element) }
    source.requireWrite()
    source.append([source.stored(Element.content(of: element))])
  }

  /// Adds elements at the end.
  public func append<Elements: Sequence>(objectsIn newElements: Elements)
  where Elements.Element == Element {
    guard let source else { return unmanaged.append(contentsOf: Array(newElements)) }
    source.requireWrite()
    source.append(Array(newElements).map { source.stored(Element.content(of: $0)) })
  }

  /// Inserts an element before the element at an index, or at the end if the index is `count`.
  public func insert(_ element: Element, at index: Int) {
    insert(contentsOf: CollectionOfOne(element), at: index)
  }

  /// Inserts elements before the element at an index.
  public func insert<Elements: Collection>(contentsOf newElements: Elements, at index: Int)
  where Elements.Element == Element {
    check(index, upTo: count + 1)
    guard let source else { return unmanaged.insert(contentsOf: newElements, at: index) }
    source.requireWrite()
    source.insert(newElements.map { source.stored(Element.content(of: $0)) }, at: index)
  }

  /// Removes the element at an index.
  public func remove(at index: Int) {
    check(index, upTo: count)
    removeSubrange(index..<index + 1)
  }

  /// Removes the elements at indexes.
  public func remove(atOffsets offsets: IndexSet) {
    if let last = offsets.last { check(last, upTo: count) }
    source?.requireWrite()
    for range in offsets.rangeView.reversed() { removeSubrange(range) }
  }

  /// Removes the first element, or the first `number` elements.
  public func removeFirst(_ number: Int = 1) {
    requireCount(number)
    removeSubrange(0..<number)
  }

  /// Removes the last element, or the last `number` elements.
  public func removeLast(_ number: Int = 1) {
    requireCount(number)
    removeSubrange(count - number..<count)
  }

  private func requireCount(_ number: Int) {
    guard number >= 0 else {
      ProgrammingError.stop("Cannot pass a negative value for 'number': \(number).")
    }
    guard number <= count else {
      ProgrammingError.stop(
        "It is not possible to remove more objects (\(number)) from a list than it already contains "
          + "(\(count)).")
    }
  }

  /// Removes all elements.
  public func removeAll() {
    removeSubrange(0..<count)
    isLoaded = true
  }

  /// Removes the elements in a range of indexes.
  public func removeSubrange<Bounds: RangeExpression>(_ bounds: Bounds)
  where Bounds.Bound == Int {
    let range = bounds.relative(to: 0..<count)
    check(range)
    guard let source else { return unmanaged.removeSubrange(range) }
    source.requireWrite()
    if !range.isEmpty { source.remove(range) }
  }

  /// Replaces the element at an index.
  public func replace(index: Int, object: Element) { self[index] = object }

  /// Replaces the elements in a range of indexes.
  public func replaceSubrange<Bounds: RangeExpression, Elements: Collection>(
    _ bounds: Bounds, with newElements: Elements
  ) where Bounds.Bound == Int, Elements.Element == Element {
    let range = bounds.relative(to: 0..<count)
    check(range)
    let newElements = Array(newElements)
    removeSubrange(range)
    insert(contentsOf: newElements, at: range.lowerBound)
  }

  /// Moves an element to another index.
  public func move(from: Int, to: Int) {
    check(from, upTo: count, "from")
    check(to, upTo: count, "to")
    guard let source else { return unmanaged.insert(unmanaged.remove(at: from), at: to) }
    source.requireWrite()
    guard from != to else { return }
    source.move(from: from, to: to)
  }

  /// Moves the elements at indexes, in their order, before the element at another index.
  public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
    check(destination, upTo: count + 1, "toOffset")
    if let last = offsets.last { check(last, upTo: count) }
    source?.requireWrite()
    let before = offsets.filter { $0 < destination }
    let after = offsets.filter { $0 >= destination }
    // Descending, so that each element moves before those already moved.
    for (moved, index) in before.reversed().enumerated() {
      move(from: index, to: destination - 1 - moved)
    }
    for (moved, index) in after.enumerated() { move(from: index, to: destination + moved) }
  }

  /// Swaps two elements.
  public func swapAt(_ first: Int, _ second: Int) {
    check(first, upTo: count)
    check(second, upTo: count)
    guard let source else { return unmanaged.swapAt(first, second) }
    source.requireWrite()
    guard first != second else { return }
    let (lower, upper) = (Swift.min(first, second), Swift.max(first, second))
    move(from: upper, to: lower)
    move(from: lower + 1, to: upper)
  }
}

// MARK: Reading

extension List: RealmCollection, MutableCollection {
  /// The source of the elements.
  @_documentation(visibility: internal)
  public var handle: CollectionHandle { CollectionHandle(source) }

  /// The index of the first element: 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int { source?.count ?? unmanaged.count }

  /// The element at an index; one out of bounds stops the process.
  public subscript(index: Int) -> Element {
    get {
      guard let source else {
        if let recorded = boundProperty?.recordedElement(Element.self) { return recorded }
        check(index, upTo: unmanaged.count)
        return unmanaged[index]
      }
      check(index, upTo: source.count)
      return element(at: index, of: source)
    }
    set {
      check(index, upTo: count)
      guard let source else { return unmanaged[index] = newValue }
      source.requireWrite()
      source.replace(at: index, with: source.stored(Element.content(of: newValue)))
    }
  }

  /// The elements in a range of indexes, as a live slice of the list; an assignment replaces them.
  public subscript(bounds: Range<Int>) -> Slice<List> {
    get {
      check(bounds)
      return Slice(base: self, bounds: bounds)
    }
    set { replaceSubrange(bounds, with: Array(newValue)) }
  }

  /// Iterates over the current elements; later changes do not affect the iteration.
  public func makeIterator() -> AnyIterator<Element> {
    guard let source else { return AnyIterator(unmanaged.makeIterator()) }
    var values = source.countedValues().enumerated().makeIterator()
    return AnyIterator {
      values.next().map { StoredElement.make($0.element, source.context(at: $0.offset)) }
    }
  }

  /// Returns whether both are the same property of the same object; for unmanaged lists, whether their
  /// elements are equal.
  public static func == (first: List, second: List) -> Bool {
    switch (first.source, second.source) {
    case (nil, nil): first === second || first.unmanaged == second.unmanaged
    case (let first?, let second?): first.isSame(as: second)
    default: false
    }
  }
}

// MARK: As a property

@_documentation(visibility: internal)
extension List: Persistable {
  /// The property's shape in the schema.
  public static var propertyShape: PropertyShape { .collection(.list, of: Element.self) }
  /// Returns an empty list.
  public static func makeDefaultValue() -> List { List() }
  /// Returns the list of a managed object.
  public static func read(from object: ObjectBase, property: Int) -> List {
    guard let source = object.elementSource(property, isChecked: false) as? any MutableElementSource
    else {
      let list = List()
      list.unmanaged = object.recordList(property) as? [Element] ?? []
      if list.unmanaged.isEmpty {
        list.boundProperty = BoundCollectionProperty(property, of: object)
      }
      return list
    }
    return List(source)
  }
  /// Replaces the elements of a managed list by the elements of another list.
  public static func write(_ value: List, to object: ObjectBase, property: Int) {
    let list = read(from: object, property: property)
    if list != value { list.replaceSubrange(0..<list.count, with: value.all) }
  }
  /// Returns the current list with the new elements.
  public static func assigned(_ value: List, over current: @autoclosure () -> List) -> List {
    let current = current()
    if value !== current { current.unmanaged = value.all }
    current.isLoaded = value.isLoaded
    return current
  }
  /// Returns the elements.
  public static func content(of value: List) -> PropertyContent {
    .elements(value.all.map { Element.content(of: $0) })
  }
  /// Returns a list of the elements of another collection; nil if an element does not fit its type.
  public static func make(fromDynamic value: Any?) -> List? {
    if let value, DynamicValue.isInstance(value), let list = value as? List { return list }
    if DynamicValue.isNull(value) { return List() }
    guard let unmanaged: [Element] = DynamicValue.elements(value) else { return nil }
    let list = List()
    list.unmanaged = unmanaged
    return list
  }
  /// Returns nil: a list cannot be an element.
  public static func make(fromStored value: Value, in context: StoredContext) -> List? { nil }
  /// Binds the list to its property when the object becomes managed.
  public static func attach(_ value: consuming List, to object: ObjectBase, property: Int) {
    guard !isKnownUniquelyReferenced(&value), value.cachedSource == nil,
      let boundProperty = BoundCollectionProperty(property, of: object)
    else {
      return
    }
    value.boundProperty = boundProperty
    value.unmanaged = []
  }

  func noteRead() { boundProperty?.noteRead() }
}

extension List: Encodable where Element: Encodable {}

extension List: Decodable where Element: Decodable {
  /// Reads the elements, in order, from an unkeyed container.
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd { append(try container.decode(Element.self)) }
  }
}
