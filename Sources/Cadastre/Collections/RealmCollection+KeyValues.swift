import CadastreEngine
import CadastreModel
public import CadastrePredicate
import CadastreStore

/// Values by the names of properties.
extension RealmCollection {
  /// The values of a property of each object; of `self`, the elements themselves.
  ///
  /// A name that the objects do not have stops the process; for names from outside see
  /// ``value(checking:)``.
  ///
  /// - Parameter key: The name of a property, `self` or `@count`.
  /// - Returns: An array, or the number of elements.
  public func value(forKey key: String) -> Any? {
    switch key {
    case "self": Array(self)
    case "@count": count
    default:
      ProgrammingError.orStop { () throws(QueryPredicateError) in
        try KeyValues.values(of: DynamicValue.elements(of: self), key)
      }
    }
  }

  /// The values at the end of a path of names from each object, or an aggregate of them.
  ///
  /// `@count`, `@min.x`, `@max.x`, `@sum.x`, `@avg.x`, `@unionOfObjects.x` and
  /// `@distinctUnionOfObjects.x` aggregate what stands before them.
  ///
  /// - Parameter keyPath: Names joined by dots; one that the objects do not have stops the process.
  /// - Returns: An array, a number or a value; nil of nothing.
  public func value(forKeyPath keyPath: String) -> Any? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in try value(checking: keyPath) }
  }

  /// Returns the values at the end of a path of names from outside the program, or an aggregate of
  /// them, see ``value(forKeyPath:)``.
  ///
  /// - Parameter keyPath: Names joined by dots.
  /// - Returns: An array, a number or a value; nil of nothing.
  /// - Throws: `QueryPredicateError` for a name that the objects do not have, and for an unknown aggregate.
  public func value(checking keyPath: String) throws(QueryPredicateError) -> Any? {
    try KeyValues.value(of: DynamicValue.elements(of: self), keyPath)
  }

  /// Sets a property of each object to the same value from outside the program.
  ///
  /// - Throws: ``InvalidValueError`` for elements that are no objects, a name that their class does not
  ///   have, and a value that does not fit. Nothing is changed then.
  public func setValue(checking value: Any?, forKey key: String) throws(InvalidValueError) {
    for element in Array(self) {
      guard let object = DynamicValue.object(element) else {
        throw InvalidValueError("\(Element.self)", key, value, expected: "a property of an object")
      }
      try object.setValue(checking: value, forKey: key)
    }
  }

  /// Sets a property of each object to the same value.
  ///
  /// A property with one value or link is set by a few statements for all objects. A value that does not
  /// fit stops the process; for values from outside see ``setValue(checking:forKey:)``.
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
  ///
  /// A name that the values do not have stops the process; for names from outside see
  /// ``value(checking:)``.
  public func value(forKeyPath keyPath: String) -> Any? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in try value(checking: keyPath) }
  }

  /// Returns the values at the end of a path of names from outside the program from each value, or an
  /// aggregate of them.
  ///
  /// - Throws: `QueryPredicateError` for a name that the values do not have, and for an unknown aggregate.
  public func value(checking keyPath: String) throws(QueryPredicateError) -> Any? {
    try KeyValues.value(of: values.map { DynamicValue.unwrapped($0) } as [Any?], keyPath)
  }
}

extension ObjectBase {
  /// The value of a property by its name, see ``subscript(_:)``.
  public func value(forKey key: String) -> Any? { self[key] }

  /// Sets a property by its name, see ``subscript(_:)``.
  public func setValue(_ value: Any?, forKey key: String) { self[key] = value }

  /// The value at the end of a path of names, with the aggregates of
  /// ``RealmCollection/value(forKeyPath:)``.
  ///
  /// A name that the class does not have stops the process; for names from outside see
  /// ``value(checking:)``.
  public func value(forKeyPath keyPath: String) -> Any? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in try value(checking: keyPath) }
  }

  /// Returns the value at the end of a path of names from outside the program, with the aggregates of
  /// ``RealmCollection/value(forKeyPath:)``.
  ///
  /// - Parameter keyPath: A name, or names joined by dots.
  /// - Returns: The value; nil of null.
  /// - Throws: `QueryPredicateError` for a name that the class does not have, and for an unknown aggregate.
  public func value(checking keyPath: String) throws(QueryPredicateError) -> Any? {
    try KeyValues.value(of: self, keyPath)
  }

  /// Sets the property at the end of a path of names; nothing happens behind a null link.
  ///
  /// A name that the class does not have, and a value that does not fit, stop the process; read the object
  /// at the path with ``value(checking:)`` and set values from outside with
  /// ``setValue(checking:forKey:)``.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    var names = KeyValues.names(keyPath)
    guard let last = names.popLast() else { return }
    let owner = ProgrammingError.orStop { () throws(QueryPredicateError) in
      try KeyValues.value(of: self, names)
    }
    DynamicValue.object(owner)?[last] = value
  }
}

/// Paths of names that are evaluated at run time.
private enum KeyValues {
  /// The names of a path, which dots join.
  static func names(_ keyPath: String) -> ArraySlice<String> {
    keyPath.split(separator: ".").map(String.init)[...]
  }

  /// The value at the end of a path.
  static func value(of start: Any?, _ keyPath: String) throws(QueryPredicateError) -> Any? {
    try value(of: start, names(keyPath))
  }

  /// The value at the end of the names of a path.
  static func value(
    of start: Any?, _ names: ArraySlice<String>
  ) throws(QueryPredicateError) -> Any? {
    guard let name = names.first else { return start }
    let rest = names.dropFirst()
    if let object = DynamicValue.object(start) {
      return try value(of: DynamicValue.unwrapped(object.member(name)), rest)
    }
    guard let elements = elements(of: start) else { return nil }
    guard name.hasPrefix("@") else {
      return try value(of: values(of: elements, name), rest)
    }
    guard !rest.isEmpty else { return try aggregate(elements, name) }
    var members: [Any?] = []
    members.reserveCapacity(elements.count)
    for element in elements { members.append(try value(of: element, rest)) }
    return try aggregate(members, name)
  }

  /// The values of a property of each object.
  static func values(
    of elements: [Any?], _ name: String
  ) throws(QueryPredicateError) -> [Any?] {
    var values: [Any?] = []
    values.reserveCapacity(elements.count)
    for element in elements {
      if let object = DynamicValue.object(element) {
        values.append(DynamicValue.unwrapped(try object.member(name)))
      } else if element == nil {
        values.append(nil)
      } else {
        throw QueryPredicateError(
          .invalidQuery, "The elements are no objects and have no property '\(name)'")
      }
    }
    return values
  }

  private static func elements(of value: Any?) -> [Any?]? {
    switch value {
    case let elements as [Any?]: elements.map(DynamicValue.unwrapped)
    case let collection as any RealmCollection: DynamicValue.elements(of: collection)
    case let map as any DynamicMap: map.dynamicEntries.map { DynamicValue.unwrapped($0.1) }
    default: nil
    }
  }

  private static func aggregate(
    _ members: [Any?], _ operation: String
  ) throws(QueryPredicateError) -> Any? {
    switch operation {
    case "@count": return members.count
    case "@unionOfObjects": return members.compactMap { $0 }
    case "@distinctUnionOfObjects":
      var seen: Set<ValueKey> = []
      return members.compactMap { member -> Any? in
        guard let member, let value = DynamicValue.value(member) else { return member }
        return seen.insert(ValueKey(value)).inserted ? member : nil
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
      throw QueryPredicateError(
        .invalidQuery,
        "'\(operation)' is no aggregate of a collection: use @count, @min, @max, @sum, @avg, "
          + "@unionOfObjects or @distinctUnionOfObjects")
    }
  }
}
