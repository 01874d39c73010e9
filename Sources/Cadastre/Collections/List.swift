import CadastreModel
import CadastreStore

/// An ordered collection of values that belongs to a property.
///
/// The list of a managed object reads from and writes to the store. Managed lists are the
/// `coordinates` of an embedded object in the shape of a GeoJSON point.
public final class List<Element: ScalarPersistable> {
  private enum Storage {
    case unmanaged([Element])
    /// The coordinates of a managed point.
    case coordinates(of: ObjectBase)
  }

  private var storage: Storage

  /// An empty list, which no Realm manages.
  public init() { storage = .unmanaged([]) }

  private init(coordinatesOf object: ObjectBase) { storage = .coordinates(of: object) }

  private var elements: [Element] {
    get {
      switch storage {
      case .unmanaged(let elements): elements
      case .coordinates(let object):
        (object.position?.pointContent.coordinates ?? []).compactMap {
          Element(storedValue: .double($0))
        }
      }
    }
    set {
      switch storage {
      case .unmanaged: storage = .unmanaged(newValue)
      case .coordinates(let object):
        guard let position = object.position else { return }
        var content = position.pointContent
        content.coordinates = Self.numbers(newValue)
        position.setPointContent(content)
      }
    }
  }

  // A closure and not a key path: in generic code Swift makes a key path anew each time.
  private static func numbers(_ elements: [Element]) -> [Double] {
    elements.compactMap { $0.storedValue.doubleValue }
  }

  private func check(_ index: Int, upTo end: Int) {
    guard index < 0 || index >= end else { return }
    Misuse.stop(
      index < 0
        ? "Cannot pass a negative value for 'index': \(index)."
        : "Index \(index) is out of bounds (must be less than \(end)).")
  }

  // MARK: Changing

  /// Adds an element at the end.
  public func append(_ element: Element) { elements.append(element) }

  /// Adds elements at the end.
  public func append<Elements: Sequence>(objectsIn newElements: Elements)
  where Elements.Element == Element {
    elements += Array(newElements)
  }

  /// Adds an element before the one at an index.
  public func insert(_ element: Element, at index: Int) {
    check(index, upTo: count + 1)
    elements.insert(element, at: index)
  }

  /// Removes the element at an index.
  public func remove(at index: Int) {
    check(index, upTo: count)
    elements.remove(at: index)
  }

  /// Removes all elements.
  public func removeAll() { elements = [] }
}

extension List: RandomAccessCollection, MutableCollection {
  /// 0.
  public var startIndex: Int { 0 }
  /// The number of elements.
  public var endIndex: Int { elements.count }
  /// The element at an index; one out of bounds stops the process.
  public subscript(index: Int) -> Element {
    get {
      let elements = elements
      check(index, upTo: elements.count)
      return elements[index]
    }
    set {
      check(index, upTo: count)
      elements[index] = newValue
    }
  }
}

extension List: Persistable {
  /// What the schema says of the property.
  public static var propertyShape: PropertyShape {
    PropertyShape(type: Element.propertyType, collection: .list)
  }
  /// What a property holds that nobody has set.
  public static func makeDefaultValue() -> List { List() }
  /// The list of a managed object.
  public static func read(from object: ObjectBase, property: Int) -> List {
    guard object.position != nil else {
      object.record(property)
      return List()
    }
    return List(coordinatesOf: object)
  }
  /// Replaces the elements of a managed list.
  public static func write(_ value: List, to object: ObjectBase, property: Int) {
    let elements = value.elements
    List(coordinatesOf: object).elements = elements
  }
  /// The current list with the new elements.
  public static func assigned(_ value: List, over current: @autoclosure () -> List) -> List {
    let current = current()
    if value !== current { current.elements = value.elements }
    return current
  }
  /// The elements.
  public static func content(of value: List) -> PropertyContent {
    .coordinates(numbers(value.elements))
  }
  /// The list of some values; nil where one of them does not fit.
  public static func make(fromDynamic value: Any?) -> List? {
    if let list = value as? List { return list }
    guard let values = value as? [Any] else { return nil }
    let elements = values.compactMap(Element.make(fromDynamic:))
    guard elements.count == values.count else { return nil }
    let list = List()
    list.append(objectsIn: elements)
    return list
  }
}

extension List: CustomStringConvertible {
  /// The elements.
  public var description: String { "\(elements)" }
}
