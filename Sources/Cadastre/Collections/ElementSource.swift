import CadastreModel
import CadastreQuery
import CadastreStore

/// The elements of a managed collection or of a query result.
protocol ElementSource: ElementProvider {
  /// The Realm from which the elements are read.
  var core: RealmCore { get }
  /// The table to which the elements link; nil for values.
  var table: ManagedTable? { get }
  /// Whether the owner of the elements still exists.
  var isValid: Bool { get }
  /// Whether the elements can be read. If the owner's row is missing from a damaged file, an error is
  /// reported and the result is true.
  var isReadable: Bool { get }
  /// The name of the collection type in messages.
  var kindName: String { get }
  /// The number of elements.
  var count: Int { get }
  /// Returns the element at a valid index.
  func value(at index: Int) -> Value
  /// Returns all elements, in order.
  func values() -> [Value]
  /// Returns all elements, in order: as many as `count` returned in the same generation.
  ///
  /// `Array.init` stops the process if a collection yields another number of elements than its `count`.
  func countedValues() -> [Value]
  /// Returns the first element, or nil.
  func firstValue() -> Value?
  /// Returns the last element, or nil.
  func lastValue() -> Value?
  /// Returns the context of the element at an index.
  func context(at index: Int) -> StoredContext
  /// The dependencies of the elements; nil if every change of the store may affect the elements.
  var dependencies: QueryDependencies? { get }
  /// Returns whether another source reads the same property of the same object, or runs the same query.
  func isSame(as other: any ElementSource) -> Bool
  /// Returns the source of the same elements in another Realm of the store; nil if their owner does not exist
  /// there.
  func counterpart(in core: RealmCore) -> (any ElementSource)?
}

extension ElementSource {
  var isReadable: Bool { isValid }

  func firstValue() -> Value? { count == 0 ? nil : value(at: 0) }

  func lastValue() -> Value? {
    let count = count
    guard count > 0 else { return nil }
    let value = value(at: count - 1)
    return value.isNull && core.hasReadError ? nil : value
  }

  func context(at index: Int) -> StoredContext { StoredContext(core, table: table) }

  func countedValues() -> [Value] { values() }

  func isSame(as other: any ElementSource) -> Bool { self === other }

  /// Stops the process if the owner of the elements was deleted.
  func requireValid() {
    core.checkThread()
    guard isReadable else {
      ProgrammingError.stop(
        "Access to invalidated \(kindName) object: its object was deleted or invalidated.")
    }
  }
}

/// The elements of a managed list.
protocol MutableElementSource: ElementSource {
  /// Stops the process if the elements cannot be modified.
  func requireWrite()
  /// Converts an element to its stored form, and adds unmanaged objects.
  func stored(_ content: PropertyContent) -> Value
  func insert(_ values: [Value], at index: Int)
  func append(_ values: [Value])
  func remove(_ range: Range<Int>)
  func replace(at index: Int, with value: Value)
  func move(from index: Int, to destination: Int)
}

extension MutableElementSource {
  func append(_ values: [Value]) { insert(values, at: count) }

  func move(from index: Int, to destination: Int) {
    let value = value(at: index)
    remove(index..<index + 1)
    insert([value], at: destination)
  }
}

/// Conversion of stored values to elements.
enum StoredElement {
  /// Converts a stored value to an element.
  ///
  /// A value that the type cannot represent, such as 300 in an `Int8`, is a read error, and the element is
  /// the default of its type. A value that a custom mapping rejects stops the process.
  static func make<Element: RealmCollectionValue>(
    _ value: Value, _ context: StoredContext
  ) -> Element {
    if let element = Element.make(fromStored: value, in: context) { return element }
    if !value.isNull, Element.self is any FailableCustomPersistable.Type {
      ProgrammingError.stop(
        "Could not convert value '\(value.dynamicValue ?? "null")' to type '\(Element.self)'.")
    }
    if context.table == nil, !value.isNull {
      context.core.reportUnfit("a collection", Element.self)
    } else if context.table != nil, !value.isNull || !context.core.hasReadError {
      context.core.reportLostElement(Element.self)
    }
    return Element.makeDefaultValue()
  }
}

/// The source of a collection's elements, for use by the library.
@_documentation(visibility: internal)
public struct CollectionHandle {
  /// The source; nil for an unmanaged collection.
  let source: (any ElementSource)?

  init(_ source: (any ElementSource)?) { self.source = source }
}

/// A collection whose element type is accessible at run time.
protocol ElementCollection {
  static var elementType: Any.Type { get }
}

extension ElementCollection {
  /// Whether the elements are mapped to a stored type.
  static var hasMappedElements: Bool {
    elementType is any MappedPersistable.Type || elementType is any PersistableEnum.Type
      || elementType is any OptionalPersistableEnum.Type
  }
}

extension List: ElementCollection { static var elementType: Any.Type { Element.self } }
extension MutableSet: ElementCollection { static var elementType: Any.Type { Element.self } }
extension Map: ElementCollection { static var elementType: Any.Type { Value.self } }

/// The entries of a managed map.
protocol MapSource: ElementSource {
  func requireWrite()
  func stored(_ content: PropertyContent) -> Value
  func entries() -> [(key: String, value: Value)]
  func value(forKey key: String) -> Value?
  func set(_ value: Value, forKey key: String)
  func remove(key: String) -> Bool
  func removeAll()
  func context(forKey key: String) -> StoredContext
}

/// The last number of elements that a collection returned.
///
/// In a damaged file a later read can yield fewer or more elements. Several threads may read a frozen
/// collection, so each use is within `RealmCore.exclusively`.
struct CountedElements {
  private var last: (count: Int, generation: UInt64)?

  /// Records the number, and returns it.
  mutating func note(_ count: Int, in core: RealmCore) -> Int {
    last = (count, core.currentGeneration)
    return count
  }

  /// Returns the number recorded in the current generation; nil if there is none.
  func count(in core: RealmCore) -> Int? {
    guard let last, last.generation == core.currentGeneration else { return nil }
    return last.count
  }

  /// Returns as many values as were counted, with null for each missing value.
  ///
  /// A different number of values is a read error.
  func values(_ values: [Value], in core: RealmCore, _ name: @autoclosure () -> String) -> [Value] {
    guard let count = count(in: core), count != values.count else { return values }
    if !core.hasReadError {
      core.report(
        StoreError(
          .corrupt("\(name()) has \(values.count) elements, but \(count) were counted"),
          path: core.file.path))
    }
    return Array(values.prefix(count))
      + repeatElement(Value.null, count: max(0, count - values.count))
  }
}

/// An element of a collection, or the key of a section, with the equality of the store.
///
/// Swift's equality differs: it compares text by canonical equivalence and numbers in an `AnyRealmValue` also
/// by type, and NaN is not equal to itself.
enum ElementKey<Element: RealmCollectionValue>: Hashable {
  case value(ValueKey)
  /// An object, or a value that contains an object.
  case element(Element)

  init(_ element: Element) {
    let value = AnyRealmValue.stored(Element.content(of: element))
    self = value.map { .value(ValueKey($0)) } ?? .element(element)
  }
}
