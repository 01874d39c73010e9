import CadastreModel
public import CadastrePredicate
import CadastreQuery
import CadastreStore

/// Values by the names of properties.
extension RealmCollection {
  /// Returns the value of a property for each object; for `self`, the elements.
  ///
  /// An unknown name stops the process; for names from outside see ``value(checking:)``.
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

  /// Returns the values at the end of a path from each object, or an aggregate of these values.
  ///
  /// `@count`, `@min.x`, `@max.x`, `@sum.x`, `@avg.x`, `@unionOfObjects.x` and `@distinctUnionOfObjects.x`
  /// aggregate the values at the path before them.
  ///
  /// - Parameter keyPath: Names joined by dots; an unknown name stops the process.
  /// - Returns: An array, a number or a value; nil for an aggregate of no values.
  public func value(forKeyPath keyPath: String) -> Any? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in try value(checking: keyPath) }
  }

  /// Returns the values at the end of a path from outside the program, or an aggregate of these values, see
  /// ``value(forKeyPath:)``.
  ///
  /// - Parameter keyPath: Names joined by dots.
  /// - Returns: An array, a number or a value; nil for an aggregate of no values.
  /// - Throws: `QueryPredicateError` for an unknown name or aggregate.
  public func value(checking keyPath: String) throws(QueryPredicateError) -> Any? {
    try KeyValues.value(of: DynamicValue.elements(of: self), keyPath)
  }

  /// Sets a property of each object to the same value from outside the program.
  ///
  /// - Throws: ``InvalidValueError`` for elements that are not objects, an unknown name, and a value that
  ///   does not fit. No object changes then.
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
  /// A few SQL statements set a property with a single value or link in all objects. A value that does not
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
  /// A few SQL statements set a property with a single value or link in all objects.
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
  /// Sets a property of the first object, which checks and converts the value, and copies the stored value to
  /// the other objects.
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

  /// The distinct keys of the objects among the elements, ascending.
  var distinctKeys: [ObjectKey] {
    let keys = values().compactMap { value -> ObjectKey? in
      if case .link(let key) = value { key } else { nil }
    }
    let isAscending = zip(keys, keys.dropFirst()).allSatisfy { $0.rawValue < $1.rawValue }
    return isAscending ? keys : Set(keys).sorted()
  }
}

extension RealmKeyedCollection {
  /// Returns the values at the end of a path from each value of the map, or an aggregate of these values.
  ///
  /// An unknown name stops the process; for names from outside see ``value(checking:)``.
  public func value(forKeyPath keyPath: String) -> Any? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in try value(checking: keyPath) }
  }

  /// Returns the values at the end of a path from outside the program: of a path that begins with a key of the map from
  /// the value under it, else from each value of the map, or an aggregate of these values.
  ///
  /// - Throws: `QueryPredicateError` for an unknown name or aggregate.
  public func value(checking keyPath: String) throws(QueryPredicateError) -> Any? {
    let names = KeyValues.names(keyPath)
    if let first = names.first, !first.hasPrefix("@"), let value = self[Key(mapKey: first)] {
      return try KeyValues.value(of: DynamicValue.unwrapped(value), names.dropFirst())
    }
    return try KeyValues.value(of: values.map { DynamicValue.unwrapped($0) } as [Any?], keyPath)
  }
}

extension MutableSet {
  /// Returns the distinct values of a property of the objects, as a set; for `self`, the elements.
  ///
  /// An unknown name stops the process; for names from outside see ``value(checking:)``.
  ///
  /// - Parameter key: The name of a property, `self` or `@count`.
  /// - Returns: A set, which can be cast to one of the values' type and omits nil, or the number of elements.
  public func value(forKey key: String) -> Any? {
    if key == "@count" { return count }
    let elements = DynamicValue.elements(of: self)
    let values =
      key == "self"
      ? elements
      : ProgrammingError.orStop { () throws(QueryPredicateError) in
        try KeyValues.values(of: elements, key)
      }
    return Set(values.compactMap { $0 as? AnyHashable })
  }
}

extension ObjectBase {
  /// Returns the value of a property by its name, see ``subscript(_:)``.
  public func value(forKey key: String) -> Any? { self[key] }

  /// Sets a property by its name, see ``subscript(_:)``.
  public func setValue(_ value: Any?, forKey key: String) { self[key] = value }

  /// Returns the value at the end of a path, with the aggregates of ``RealmCollection/value(forKeyPath:)``.
  ///
  /// An unknown name stops the process; for names from outside see ``value(checking:)``.
  public func value(forKeyPath keyPath: String) -> Any? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in try value(checking: keyPath) }
  }

  /// Returns the value at the end of a path from outside the program, with the aggregates of
  /// ``RealmCollection/value(forKeyPath:)``.
  ///
  /// - Parameter keyPath: A name, or names joined by dots.
  /// - Returns: The value; nil for null.
  /// - Throws: `QueryPredicateError` for an unknown name or aggregate.
  public func value(checking keyPath: String) throws(QueryPredicateError) -> Any? {
    try KeyValues.value(of: self, keyPath)
  }

  /// Sets the property at the end of a path; does nothing if a link of the path is null.
  ///
  /// An unknown name or a value that does not fit stops the process. For values from outside, read the object
  /// with ``value(checking:)`` and set its property with ``setValue(checking:forKey:)``.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    var names = KeyValues.names(keyPath)
    guard let last = names.popLast() else { return }
    let owner = ProgrammingError.orStop { () throws(QueryPredicateError) in
      try KeyValues.value(of: self, names)
    }
    DynamicValue.object(owner)?[last] = value
  }
}

/// Key-value coding: evaluation of paths and aggregates at run time.
private enum KeyValues {
  /// Splits a path into names.
  static func names(_ keyPath: String) -> ArraySlice<String> {
    keyPath.split(separator: ".").map(String.init)[...]
  }

  /// Returns the value at the end of a path.
  static func value(of start: Any?, _ keyPath: String) throws(QueryPredicateError) -> Any? {
    try value(of: start, names(keyPath))
  }

  /// Returns the value at the end of the names of a path.
  static func value(
    of start: Any?, _ names: ArraySlice<String>
  ) throws(QueryPredicateError) -> Any? {
    guard let name = names.first else { return start }
    let rest = names.dropFirst()
    if name == "self" { return try value(of: start, rest) }
    if let object = DynamicValue.object(start) {
      return try value(of: DynamicValue.unwrapped(object.member(name)), rest)
    }
    // A measure of a geometry, or a part of a date.
    if let measured = DynamicValue.value(start).flatMap({ ValueMeasure.value(name, of: $0) }) {
      return try value(of: measured.dynamicValue, rest)
    }
    if let map = start as? any DynamicMap, !name.hasPrefix("@"),
      let entry = map.dynamicEntries.first(where: { $0.0 == name })
    {
      return try value(of: DynamicValue.unwrapped(entry.1), rest)
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

  /// Returns the values of a property of each object.
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
      // As in Foundation, a sum beyond 64 bits has a wider type.
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
