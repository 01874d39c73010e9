import CadastreEngine
import CadastreModel

/// A list or a map inside a property of any type.
class NestedCollection {
  let core: RealmCore
  let place: NestedLocation

  init(_ core: RealmCore, _ place: NestedLocation) {
    self.core = core
    self.place = place
  }

  var table: ManagedTable? { nil }
  var isValid: Bool { place.isValid }
  var dependencies: QueryDependencies? { nil }

  func requireWrite() { place.requireWrite() }

  func stored(_ content: PropertyContent) -> Value {
    ObjectWriter(core).mixed(content, depth: place.steps.count + 1)
  }
}

/// The elements of a list inside a property of any type.
final class NestedList: NestedCollection, MutableElementSource {
  var kindName: String { "List" }

  private var elements: [Value] {
    get {
      requireValid()
      if case .list(let elements)? = place.value { return elements }
      ProgrammingError.stop(
        "Access to invalidated List object: the property holds another value now.")
    }
    set { place.set(.list(newValue)) }
  }

  var count: Int { elements.count }
  func value(at index: Int) -> Value { elements[index] }
  func values() -> [Value] { elements }

  func context(at index: Int) -> StoredContext {
    StoredContext(core, place: place.appending(.index(index)))
  }

  func isSame(as other: any ElementSource) -> Bool {
    (other as? NestedList).map { $0.place.isSame(as: place) } ?? false
  }

  func insert(_ values: [Value], at index: Int) { elements.insert(contentsOf: values, at: index) }
  func remove(_ range: Range<Int>) { elements.removeSubrange(range) }
  func replace(at index: Int, with value: Value) { elements[index] = value }
}

/// The entries of a map inside a property of any type.
final class NestedMap: NestedCollection, MapSource {
  var kindName: String { "Map" }

  private var map: ValueMap {
    get {
      requireValid()
      if case .map(let map)? = place.value { return map }
      ProgrammingError.stop(
        "Access to invalidated Map object: the property holds another value now.")
    }
    set { place.set(.map(newValue)) }
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
    StoredContext(core, place: place.appending(.key(key)))
  }

  func isSame(as other: any ElementSource) -> Bool {
    (other as? NestedMap).map { $0.place.isSame(as: place) } ?? false
  }
}
