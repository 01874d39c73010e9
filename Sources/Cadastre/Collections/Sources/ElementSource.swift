import CadastreEngine
import CadastreModel

/// Where the elements of a managed collection, or of an queryResult, come from.
protocol ElementSource: ElementProvider {
  /// The Realm that is read.
  var core: RealmCore { get }
  /// The class that links among the elements lead to; nil for values.
  var table: ManagedTable? { get }
  /// Whether what the elements belong to is still there.
  var isValid: Bool { get }
  /// What it is called in messages.
  var kindName: String { get }
  /// The number of elements.
  var count: Int { get }
  /// The element at an index, which must be there.
  func value(at index: Int) -> Value
  /// All elements, in order.
  func values() -> [Value]
  /// The first element, or nil.
  func firstValue() -> Value?
  /// The last element, or nil.
  func lastValue() -> Value?
  /// Where the element at an index was read.
  func context(at index: Int) -> StoredContext
  /// What the elements depend on; nil for everything.
  var dependencies: QueryDependencies? { get }
  /// Whether another source has the same elements for the same reason.
  func isSame(as other: any ElementSource) -> Bool
  /// The same elements in another Realm of the store; nil where what they belong to is not there.
  func counterpart(in core: RealmCore) -> (any ElementSource)?
}

extension ElementSource {
  func firstValue() -> Value? { count == 0 ? nil : value(at: 0) }

  func lastValue() -> Value? {
    let count = count
    guard count > 0 else { return nil }
    let value = value(at: count - 1)
    return value.isNull && core.hasReadError ? nil : value
  }

  func context(at index: Int) -> StoredContext { StoredContext(core, table: table) }

  func isSame(as other: any ElementSource) -> Bool { self === other }

  /// Stops the process where what the elements belong to is gone.
  func requireValid() {
    core.checkThread()
    guard isValid else {
      Misuse.stop("Access to invalidated \(kindName) object: the object that has it is gone.")
    }
  }
}

/// The elements of a list in the store.
protocol MutableElementSource: ElementSource {
  /// Stops the process where the elements cannot be changed now.
  func requireWrite()
  /// The stored form of an element; new objects are added.
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

/// The elements of an element type, made from stored values.
enum StoredElement {
  /// The element that a stored value stands for; one that does not fit stops the process.
  static func make<Element: RealmCollectionValue>(
    _ value: Value, _ context: StoredContext
  ) -> Element {
    if let element = Element.make(fromStored: value, in: context) { return element }
    if value.isNull, context.table == nil || context.core.hasReadError {
      return Element.makeDefaultValue()
    }
    Misuse.stop(
      "Could not convert value '\(value.dynamicValue ?? "null")' to type '\(Element.self)'.")
  }
}

/// What stands behind a collection: the way in which the library reaches the elements.
public struct CollectionHandle {
  /// Nil for a collection that no Realm manages.
  let source: (any ElementSource)?

  init(_ source: (any ElementSource)?) { self.source = source }
}

/// A collection whose element type can be asked for.
protocol ElementCollection {
  static var elementType: Any.Type { get }
}

extension ElementCollection {
  /// Whether the elements are stored as another type.
  static var hasMappedElements: Bool {
    elementType is any MappedPersistable.Type || elementType is any PersistableEnum.Type
      || elementType is any OptionalPersistableEnum.Type
  }
}

extension List: ElementCollection { static var elementType: Any.Type { Element.self } }
extension MutableSet: ElementCollection { static var elementType: Any.Type { Element.self } }
extension Map: ElementCollection { static var elementType: Any.Type { Value.self } }
