import CadastreModel

/// The location of a value inside a property of any type: the root that stores the outermost value,
/// and the steps from there.
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

  /// The location one step further.
  func appending(_ step: Step) -> NestedLocation {
    var place = self
    place.steps.append(step)
    return place
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
      let schema = object.classInfo.schema
      object.position?.row.requireWrite("\(schema.className).\(schema.properties[property].name)")
    case .element(let list, _): list.requireWrite()
    case .entry(let map, _): map.requireWrite()
    }
  }

  /// The value at the location; nil where it does not exist any more.
  var value: Value? {
    steps.reduce(whole) { value, step in
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
    let changed = Self.replaced(whole ?? .null, steps[...], by: value)
    switch root {
    case .property(let object, let property): object.setStoredValue(changed, property)
    case .element(let list, let index): list.replace(at: index, with: changed)
    case .entry(let map, let key): map.set(changed, forKey: key)
    }
  }

  private var whole: Value? {
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

  /// Whether another location is the same.
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

  /// The Realm that stores the value; nil before its object is managed.
  var core: RealmCore? {
    switch root {
    case .property(let object, _): object.position?.row.core
    case .element(let list, _): list.core
    case .entry(let map, _): map.core
    }
  }
}
