import CadastreEngine
import CadastreModel
import CadastreStore

/// Values by the names of properties.
extension RealmCollection {
  /// The values of a property of each object; of `self`, the elements themselves.
  ///
  /// - Parameter key: The name of a property, `self` or `@count`.
  /// - Returns: An array, or the number of elements.
  public func value(forKey key: String) -> Any? {
    switch key {
    case "self": Array(self)
    case "@count": count
    default: KeyValues.values(of: map { DynamicValue.unwrapped($0) }, key)
    }
  }

  /// The values at the end of a path of names from each object, or an aggregate of them.
  ///
  /// `@count`, `@min.x`, `@max.x`, `@sum.x`, `@avg.x`, `@unionOfObjects.x` and
  /// `@distinctUnionOfObjects.x` aggregate what stands before them.
  ///
  /// - Parameter keyPath: Names joined by dots.
  /// - Returns: An array, a number or a value; nil of nothing.
  public func value(forKeyPath keyPath: String) -> Any? {
    KeyValues.value(
      of: map { DynamicValue.unwrapped($0) } as [Any?],
      keyPath)
  }

  /// Sets a property of each object to the same value.
  ///
  /// A property with one value or link is set by a few statements for all objects.
  public func setValue(_ value: Any?, forKey key: String) {
    if let source = handle.source, let table = source.table, Element.self == table.info.type,
      let column = table.plainColumn(key)
    {
      return source.setColumn(column, in: table) { $0[key] = value }
    }
    for element in Array(self) {
      guard let object = DynamicValue.object(element) else {
        ProgrammingError.stop("The elements are no objects and have no property '\(key)'.")
      }
      object[key] = value
    }
  }
}

extension RealmCollection where Element: ObjectBase {
  /// Sets a property of each object to the same value.
  ///
  ///     realm.objects(Airport.self).where { $0.country == "FR" }.setValue("EU", for: \.region)
  ///
  /// A property with one value or link is set by a few statements for all objects.
  /// - Parameters:
  ///   - value: The value.
  ///   - keyPath: The property.
  public func setValue<Value>(
    _ value: Value, for keyPath: ReferenceWritableKeyPath<Element, Value>
  ) {
    let set = { (object: Element) in object[keyPath: keyPath] = value }
    guard let source = handle.source, let table = source.table, Element.self == table.info.type,
      let column = table.plainColumn(Element.propertyName(of: keyPath))
    else { return Array(self).forEach(set) }
    source.setColumn(column, in: table) { object in
      if let object = object as? Element { set(object) }
    }
  }
}

extension ElementSource {
  /// Sets a property of the first object, which checks and converts the value, and copies it to the others.
  ///
  /// - Parameters:
  ///   - column: The column of the property.
  ///   - table: The table of the objects.
  ///   - set: Sets the property of an object.
  fileprivate func setColumn(
    _ column: Int, in table: ManagedTable, _ set: (ObjectBase) -> Void
  ) {
    let keys = distinctKeys
    guard let first = keys.first else { return }
    let row = ManagedRow(table, first)
    set(table.info.makeInstance(of: table.info.type, at: ObjectPosition(row)))
    guard keys.count > 1 else { return }
    table.core.update(
      table, keys.dropFirst().map(\.rawValue), [(column, row.value(column))])
  }

  /// The keys of the objects among the elements, ascending, each once.
  var distinctKeys: [ObjectKey] {
    let keys = values().compactMap { value -> ObjectKey? in
      if case .link(let key) = value { key } else { nil }
    }
    let isAscending = zip(keys, keys.dropFirst()).allSatisfy { $0.rawValue < $1.rawValue }
    return isAscending ? keys : Set(keys).sorted()
  }
}

extension RealmKeyedCollection {
  /// The values at the end of a path of names from each value, or an aggregate of them.
  public func value(forKeyPath keyPath: String) -> Any? {
    KeyValues.value(
      of: values.map { DynamicValue.unwrapped($0) } as [Any?],
      keyPath)
  }
}

extension ObjectBase {
  /// The value of a property by its name, see ``subscript(_:)``.
  public func value(forKey key: String) -> Any? { self[key] }

  /// Sets a property by its name, see ``subscript(_:)``.
  public func setValue(_ value: Any?, forKey key: String) { self[key] = value }

  /// The value at the end of a path of names, with the aggregates of
  /// ``RealmCollection/value(forKeyPath:)``.
  public func value(forKeyPath keyPath: String) -> Any? {
    KeyValues.value(of: self, keyPath)
  }

  /// Sets the property at the end of a path of names; nothing happens behind a null link.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    var names = KeyValues.names(keyPath)
    guard let last = names.popLast() else { return }
    DynamicValue.object(KeyValues.value(of: self, names))?[last] = value
  }
}

/// Paths of names that are evaluated at run time.
private enum KeyValues {
  /// The names of a path, which dots join.
  static func names(_ keyPath: String) -> ArraySlice<String> {
    keyPath.split(separator: ".").map(String.init)[...]
  }

  /// The value at the end of a path.
  static func value(of start: Any?, _ keyPath: String) -> Any? {
    value(of: start, names(keyPath))
  }

  /// The value at the end of the names of a path.
  static func value(of start: Any?, _ names: ArraySlice<String>) -> Any? {
    guard let name = names.first else { return start }
    let rest = names.dropFirst()
    if let object = DynamicValue.object(start) {
      return value(of: DynamicValue.unwrapped(object[name]), rest)
    }
    guard let elements = elements(of: start) else { return nil }
    guard name.hasPrefix("@") else {
      return value(of: values(of: elements, name), rest)
    }
    let members = rest.isEmpty ? elements : elements.map { value(of: $0, rest) }
    return aggregate(members, name)
  }

  /// The values of a property of each object.
  static func values(of elements: [Any?], _ name: String) -> [Any?] {
    elements.map { element in
      guard let object = DynamicValue.object(element) else {
        if element == nil { return nil }
        ProgrammingError.stop("The elements are no objects and have no property '\(name)'.")
      }
      return DynamicValue.unwrapped(object[name])
    }
  }

  private static func elements(of value: Any?) -> [Any?]? {
    switch value {
    case let elements as [Any?]: elements.map(DynamicValue.unwrapped)
    case let collection as any RealmCollection: array(of: collection)
    case let map as any DynamicMap: map.dynamicEntries.map { DynamicValue.unwrapped($0.1) }
    default: nil
    }
  }

  private static func array(of collection: some RealmCollection) -> [Any?] {
    collection.map { DynamicValue.unwrapped($0) }
  }

  private static func aggregate(_ members: [Any?], _ operation: String) -> Any? {
    switch operation {
    case "@count": return members.count
    case "@unionOfObjects": return members.compactMap { $0 }
    case "@distinctUnionOfObjects":
      var seen: Set<Value> = []
      return members.compactMap { member -> Any? in
        guard let member, let value = DynamicValue.value(member) else { return member }
        return seen.insert(value).inserted ? member : nil
      }
    case "@min", "@max", "@sum", "@avg":
      let values = members.compactMap(DynamicValue.value).filter { !$0.isNull }
      let types = Set(values.compactMap(\.type))
      var aggregation = Aggregation(of: types.count == 1 ? types.first ?? .int : .double)
      for value in values { aggregation.add(value) }
      return switch operation {
      case "@min": aggregation.minimum?.dynamicValue
      case "@max": aggregation.maximum?.dynamicValue
      // Like Foundation's, this sum has a type that holds it.
      case "@sum": (aggregation.sum ?? aggregation.exactSum).dynamicValue
      default: aggregation.average?.dynamicValue
      }
    default:
      ProgrammingError.stop(
        "'\(operation)' is no aggregate of a collection: use @count, @min, @max, @sum, @avg, "
          + "@unionOfObjects or @distinctUnionOfObjects.")
    }
  }
}
