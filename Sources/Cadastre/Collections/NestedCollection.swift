import CadastreModel
import CadastreQuery

/// A list or a map in a property of any type.
class NestedCollection {
  let core: RealmCore
  let location: NestedLocation

  init(_ core: RealmCore, _ location: NestedLocation) {
    self.core = core
    self.location = location
  }

  var table: ManagedTable? { nil }
  var isValid: Bool { location.isValid }
  var dependencies: QueryDependencies? { nil }

  func requireWrite() { location.requireWrite() }

  func stored(_ content: PropertyContent) -> Value {
    ObjectWriter(core).mixed(content, depth: location.steps.count + 1)
  }
}

/// The elements of a list in a property of any type.
final class NestedList: NestedCollection, MutableElementSource {
  var kindName: String { "List" }

  private var elements: [Value] {
    get {
      requireValid()
      if case .list(let elements)? = location.value { return elements }
      ProgrammingError.stop(
        "Access to invalidated List object: the property holds another value now.")
    }
    set { location.set(.list(newValue)) }
  }

  var count: Int { elements.count }
  func value(at index: Int) -> Value { elements[index] }
  func values() -> [Value] { elements }

  func context(at index: Int) -> StoredContext {
    StoredContext(core, location: location.appending(.index(index)))
  }

  func isSame(as other: any ElementSource) -> Bool {
    (other as? NestedList).map { $0.location.isSame(as: location) } ?? false
  }

  func insert(_ values: [Value], at index: Int) { elements.insert(contentsOf: values, at: index) }
  func remove(_ range: Range<Int>) { elements.removeSubrange(range) }
  func replace(at index: Int, with value: Value) { elements[index] = value }
}

/// The entries of a map in a property of any type.
final class NestedMap: NestedCollection, MapSource {
  var kindName: String { "Map" }

  private var map: ValueMap {
    get {
      requireValid()
      if case .map(let map)? = location.value { return map }
      ProgrammingError.stop(
        "Access to invalidated Map object: the property holds another value now.")
    }
    set { location.set(.map(newValue)) }
  }

  var count: Int { map.entries.count }
  func value(at index: Int) -> Value { map.entries[index].value }
  func values() -> [Value] { map.entries.map(\.value) }
  func entries() -> [(key: String, value: Value)] { map.entries.map { ($0.key, $0.value) } }
  func value(forKey key: String) -> Value? { map[key] }
  func set(_ value: Value, forKey key: String) { map[key] = value }

  func remove(key: String) -> Bool {
    var map = map
    guard map[key] != nil else { return false }
    map[key] = nil
    self.map = map
    return true
  }

  func removeAll() { map = ValueMap() }

  func context(forKey key: String) -> StoredContext {
    StoredContext(core, location: location.appending(.key(key)))
  }

  func isSame(as other: any ElementSource) -> Bool {
    (other as? NestedMap).map { $0.location.isSame(as: location) } ?? false
  }
}

/// The location of a value in a property of any type: the root that stores the outermost value, and the steps
/// from the root.
struct NestedLocation {
  /// The storage of the outermost value.
  enum Root {
    /// A property of an object.
    case property(of: ObjectBase, Int)
    /// An element of a list.
    case element(of: StoredList, Int)
    /// An entry of a map.
    case entry(of: StoredMap, String)
  }

  /// One step into a list or a map.
  enum Step: Hashable {
    case index(Int)
    case key(String)
  }

  let root: Root
  private(set) var steps: [Step] = []

  init(_ root: Root) { self.root = root }

  /// Returns the location extended by a step.
  func appending(_ step: Step) -> NestedLocation {
    var location = self
    location.steps.append(step)
    return location
  }

  var isValid: Bool {
    switch root {
    case .property(let object, _): !object.isInvalidated && value != nil
    case .element(let list, let index): list.isValid && index < list.count && value != nil
    case .entry(let map, let key): map.isValid && map.value(forKey: key) != nil && value != nil
    }
  }

  func requireWrite() {
    switch root {
    case .property(let object, let property):
      object.position?.row.requireWrite(object.classInfo.name(of: property))
    case .element(let list, _): list.requireWrite()
    case .entry(let map, _): map.requireWrite()
    }
  }

  /// The value at the location; nil if the location no longer exists.
  var value: Value? {
    steps.reduce(rootValue) { value, step in
      switch (value, step) {
      case (.list(let elements)?, .index(let index)):
        elements.indices.contains(index) ? elements[index] : nil
      case (.map(let map)?, .key(let key)): map[key]
      default: nil
      }
    }
  }

  /// Replaces the value at the location.
  func set(_ value: Value) {
    let changed = Self.replaced(rootValue ?? .null, steps[...], by: value)
    switch root {
    case .property(let object, let property): object.setStoredValue(changed, property)
    case .element(let list, let index): list.replace(at: index, with: changed)
    case .entry(let map, let key): map.set(changed, forKey: key)
    }
  }

  private var rootValue: Value? {
    switch root {
    case .property(let object, let property): object.storedValue(property)
    case .element(let list, let index): index < list.count ? list.value(at: index) : nil
    case .entry(let map, let key): map.value(forKey: key)
    }
  }

  private static func replaced(
    _ value: Value, _ steps: ArraySlice<Step>, by new: Value
  ) -> Value {
    guard let step = steps.first else { return new }
    switch (value, step) {
    case (.list(var elements), .index(let index)) where elements.indices.contains(index):
      elements[index] = replaced(elements[index], steps.dropFirst(), by: new)
      return .list(elements)
    case (.map(var map), .key(let key)):
      map[key] = replaced(map[key] ?? .null, steps.dropFirst(), by: new)
      return .map(map)
    default: return value
    }
  }

  /// Returns whether another location is the same.
  func isSame(as other: NestedLocation) -> Bool {
    guard steps == other.steps else { return false }
    return switch (root, other.root) {
    case (.property(let first, let property), .property(let second, let otherProperty)):
      property == otherProperty
        && (first === second || first.position?.isSameRow(as: second.position) == true)
    case (.element(let first, let index), .element(let second, let otherIndex)):
      index == otherIndex && first.isSameProperty(as: second)
    case (.entry(let first, let key), .entry(let second, let otherKey)):
      key == otherKey && first.isSameProperty(as: second)
    default: false
    }
  }

  /// The Realm that stores the value; nil if the object is unmanaged.
  var core: RealmCore? {
    switch root {
    case .property(let object, _): object.position?.row.core
    case .element(let list, _): list.core
    case .entry(let map, _): map.core
    }
  }
}

extension NestedLocation {
  /// Returns the same location in another Realm; nil if it does not exist there.
  func counterpart(in core: RealmCore) -> NestedLocation? {
    let root: Root? =
      switch self.root {
      case .property(let object, let property):
        object.counterpart(in: Realm(core: core)).map { .property(of: $0, property) }
      case .element(let list, let index):
        (list.counterpart(in: core) as? StoredList).map { .element(of: $0, index) }
      case .entry(let map, let key):
        (map.counterpart(in: core) as? StoredMap).map { .entry(of: $0, key) }
      }
    guard let root else { return nil }
    let location = steps.reduce(NestedLocation(root)) { $0.appending($1) }
    return location.isValid ? location : nil
  }
}

extension NestedList {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    location.counterpart(in: core).map { NestedList(core, $0) }
  }
}

extension NestedMap {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    location.counterpart(in: core).map { NestedMap(core, $0) }
  }
}
