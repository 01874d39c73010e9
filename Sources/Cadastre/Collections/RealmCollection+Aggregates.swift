import CadastreEngine
public import CadastreModel
public import CadastrePredicate
public import Foundation

/// A type of which some values have a smallest and a largest.
public protocol MinMaxType: RealmCollectionValue {}

/// A type whose values can be added up.
public protocol AddableType: RealmCollectionValue {
  /// The number of a stored one; nil where it does not fit.
  @_documentation(visibility: internal)
  init?(aggregate value: Value)
}

extension Int: MinMaxType, AddableType {}
extension Int8: MinMaxType, AddableType {}
extension Int16: MinMaxType, AddableType {}
extension Int32: MinMaxType, AddableType {}
extension Int64: MinMaxType, AddableType {}
extension Float: MinMaxType, AddableType {}
extension Double: MinMaxType, AddableType {}
extension Decimal128: MinMaxType, AddableType {}
extension Date: MinMaxType {}
extension AnyRealmValue: MinMaxType, AddableType {}
extension Optional: MinMaxType where Wrapped: MinMaxType & OptionalPersistable {}
extension Optional: AddableType where Wrapped: AddableType & OptionalPersistable {}

@_documentation(visibility: internal)
extension AddableType where Self: FixedWidthInteger {
  /// The number without its fraction.
  public init?(aggregate value: Value) {
    switch value {
    case .int(let value): self.init(exactly: value)
    case .double(let value): self.init(exactly: value.rounded(.towardZero))
    case .float(let value): self.init(exactly: value.rounded(.towardZero))
    case .decimal(let value): self.init(exactly: value.doubleValue.rounded(.towardZero))
    default: return nil
    }
  }
}

@_documentation(visibility: internal)
extension AddableType where Self: ScalarPersistable & BinaryFloatingPoint {
  /// The nearest number.
  public init?(aggregate value: Value) {
    if case .decimal(let value) = value {
      self.init(value.doubleValue)
    } else {
      self.init(storedValue: value)
    }
  }
}

@_documentation(visibility: internal)
extension Decimal128 {
  /// The number.
  public init?(aggregate value: Value) { self.init(storedValue: value) }
}

@_documentation(visibility: internal)
extension AnyRealmValue {
  /// The number.
  public init?(aggregate value: Value) {
    guard let made = AnyRealmValue.make(fromDynamic: value) else { return nil }
    self = made
  }
}

@_documentation(visibility: internal)
extension Optional where Wrapped: AddableType & OptionalPersistable {
  /// The number; nil where it does not fit.
  public init?(aggregate value: Value) { self = Wrapped(aggregate: value) }
}

@_documentation(visibility: internal)
extension AddableType where Self: FailableCustomPersistable, PersistedType: AddableType {
  /// The mapping of the number.
  public init?(aggregate value: Value) {
    guard let stored = PersistedType(aggregate: value) else { return nil }
    self.init(persistedValue: stored)
  }
}

extension RealmCollection {
  private func aggregation(
    _ property: String, _ operation: String
  ) throws(QueryPredicateError) -> Aggregation {
    guard handle.source != nil else { return try unmanagedAggregation(property, operation) }
    let queryResult = queryResult
    guard let table = queryResult.table else {
      try requireSelf(property, operation)
      var aggregation = Aggregation(of: Element.propertyShape.type)
      for value in queryResult.values() { aggregation.add(value) }
      return aggregation
    }
    let path = PropertyPath(property)
    let type = try AggregatedProperty.type(
      of: path, in: table.info.schema, operation, queryResult.core.schema.target)
    var aggregation = Aggregation(of: type)
    // The keys of all objects would take longer than the values.
    let keepsResult = queryResult.query.predicate != .constant(true)
    if !queryResult.passColumn(
      at: path, keepsResult: keepsResult, { aggregation.add($0, $1) }),
      !queryResult.forEachColumn(at: path, { aggregation.add($0, $1) })
    {
      queryResult.forEachValue(at: [path]) { aggregation.add($0[0]) }
    }
    return aggregation
  }

  private func unmanagedAggregation(
    _ property: String, _ operation: String
  ) throws(QueryPredicateError) -> Aggregation {
    guard let type = Element.propertyShape.objectType else {
      try requireSelf(property, operation)
      var aggregation = Aggregation(of: Element.propertyShape.type)
      for element in self {
        if let value = Element.content(of: element).value { aggregation.add(value) }
      }
      return aggregation
    }
    let path = PropertyPath(property)
    var aggregation = Aggregation(
      of: try AggregatedProperty.type(
        of: path, in: ClassInfo.of(type).schema, operation
      ) { property in
        ClassInfo.of(type).target(of: property)?.schema
      })
    for element in self {
      guard case .object(let object) = Element.content(of: element) else { continue }
      if let value = object.content(at: path.names)?.value { aggregation.add(value) }
    }
    return aggregation
  }

  private func requireSelf(
    _ property: String, _ operation: String
  ) throws(QueryPredicateError) {
    guard property != "self" else { return }
    throw QueryPredicateError(
      .invalidQuery, "Operation '\(operation)' on values has the property 'self' only")
  }

  private func result<Result: RealmCollectionValue>(_ value: Value?) -> Result? {
    guard let source = handle.source else { return value.flatMap { Result.make(fromDynamic: $0) } }
    return value.flatMap { Result.make(fromStored: $0, in: StoredContext(source.core)) }
  }

  /// The smallest value of a property; nil where there is none.
  ///
  /// A property that has no smallest value stops the process; for names from outside see
  /// ``min(checking:)``.
  public func min<Result: MinMaxType>(ofProperty property: String) -> Result? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in try min(checking: property) }
  }

  /// The largest value of a property; nil where there is none.
  ///
  /// A property that has no largest value stops the process; for names from outside see
  /// ``max(checking:)``.
  public func max<Result: MinMaxType>(ofProperty property: String) -> Result? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in try max(checking: property) }
  }

  /// The sum of a property; zero of nothing.
  ///
  /// A sum that does not fit the result, as one of integers beyond 64 bits, is zero and a read error:
  /// see ``Realm/readError``. For values that are not managed it stops the process, and so does a
  /// property that has no sum; for names from outside see ``sum(checking:)``.
  public func sum<Result: AddableType>(ofProperty property: String) -> Result {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try aggregation(property, "sum")
        .sum(property, in: handle.source?.core, Result.init(aggregate:))
    }
  }

  /// The average of a property; nil of nothing.
  ///
  /// A property that has no average stops the process; for names from outside see
  /// ``average(checking:)``.
  public func average<Result: AddableType>(ofProperty property: String) -> Result? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in try average(checking: property) }
  }

  // MARK: Names from outside

  /// Returns the smallest value of a property, whose name may come from outside the program; nil where
  /// there is none.
  ///
  /// - Parameter property: The path to the property, names joined by dots.
  /// - Returns: The value.
  /// - Throws: `QueryPredicateError` for a property that has no smallest value.
  public func min<Result: MinMaxType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result? {
    result(try aggregation(property, "min").minimum)
  }

  /// Returns the largest value of a property, whose name may come from outside the program; nil where
  /// there is none.
  ///
  /// - Parameter property: The path to the property, names joined by dots.
  /// - Returns: The value.
  /// - Throws: `QueryPredicateError` for a property that has no largest value.
  public func max<Result: MinMaxType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result? {
    result(try aggregation(property, "max").maximum)
  }

  /// Returns the sum of a property, whose name may come from outside the program; zero of nothing.
  ///
  /// - Parameter property: The path to the property, names joined by dots.
  /// - Returns: The sum.
  /// - Throws: `QueryPredicateError` for a property that has no sum, and for a sum that does not fit the
  ///   result.
  public func sum<Result: AddableType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result {
    guard let sum = try aggregation(property, "sum").sum.flatMap(Result.init(aggregate:)) else {
      throw QueryPredicateError(
        .invalidQuery, "The sum of '\(property)' does not fit '\(Result.self)'")
    }
    return sum
  }

  /// Returns the average of a property, whose name may come from outside the program; nil of nothing.
  ///
  /// - Parameter property: The path to the property, names joined by dots.
  /// - Returns: The average.
  /// - Throws: `QueryPredicateError` for a property that has no average.
  public func average<Result: AddableType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result? {
    try aggregation(property, "average").average.flatMap(Result.init(aggregate:))
  }

  /// The aggregation of the values themselves, which always have one.
  fileprivate func ownAggregation(_ operation: String) -> Aggregation {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try aggregation("self", operation)
    }
  }
}

/// Mapped types, by their stored values.
extension RealmCollection where Element: MappedPersistable, Element.StoredType: MinMaxType {
  /// The smallest value; nil where there is none.
  @_disfavoredOverload
  public func min() -> Element? { result(ownAggregation("min").minimum) }

  /// The largest value; nil where there is none.
  @_disfavoredOverload
  public func max() -> Element? { result(ownAggregation("max").maximum) }
}

/// Mapped types, by their stored values.
extension RealmCollection where Element: MappedPersistable, Element.StoredType: AddableType {
  /// The mapping of the sum of the values.
  ///
  /// A sum that cannot be mapped is a read error as in ``RealmCollection/sum(ofProperty:)``.
  @_disfavoredOverload
  public func sum() -> Element {
    ownAggregation("sum").sum("self", in: handle.source?.core) { sum in
      Element.StoredType(aggregate: sum).flatMap { Element.make(fromDynamic: $0) }
    }
  }

  /// The average of the stored values; nil of nothing.
  @_disfavoredOverload
  public func average<Result: AddableType>() -> Result? { average(ofProperty: "self") }
}

extension RealmCollection where Element: KeypathSortable {
  /// The smallest value of a property; nil where there is none.
  public func min<Result: MinMaxType>(of keyPath: KeyPath<Element, Result>) -> Result? {
    min(ofProperty: Element.propertyName(of: keyPath))
  }

  /// The largest value of a property; nil where there is none.
  public func max<Result: MinMaxType>(of keyPath: KeyPath<Element, Result>) -> Result? {
    max(ofProperty: Element.propertyName(of: keyPath))
  }

  /// The sum of a property; zero of nothing.
  public func sum<Result: AddableType>(of keyPath: KeyPath<Element, Result>) -> Result {
    sum(ofProperty: Element.propertyName(of: keyPath))
  }

  /// The average of a property; nil of nothing.
  public func average<Property: AddableType, Result: AddableType>(
    of keyPath: KeyPath<Element, Property>
  ) -> Result? {
    average(ofProperty: Element.propertyName(of: keyPath))
  }
}

extension RealmCollection where Element: MinMaxType {
  /// The smallest value; nil where there is none.
  public func min() -> Element? { min(ofProperty: "self") }

  /// The largest value; nil where there is none.
  public func max() -> Element? { max(ofProperty: "self") }
}

extension RealmCollection where Element: AddableType {
  /// The sum of the values; zero of nothing.
  public func sum() -> Element { sum(ofProperty: "self") }

  /// The average of the values; nil of nothing.
  public func average<Result: AddableType>() -> Result? { average(ofProperty: "self") }
}

/// The property that an aggregate is computed from.
enum AggregatedProperty {
  /// Returns the type of a property.
  ///
  /// - Throws: `QueryPredicateError` for one that an operation cannot be computed from.
  static func type(
    of path: PropertyPath, in root: ObjectSchema, _ operation: String,
    _ target: (Property) -> ObjectSchema?
  ) throws(QueryPredicateError) -> PropertyType {
    guard let leaf = root.property(at: path.names, target) else {
      throw QueryPredicateError(
        .invalidQuery, "Invalid property name '\(path)' for class '\(root.className)'")
    }
    let isOrdered = operation == "min" || operation == "max"
    guard leaf.collection == nil,
      leaf.type.isNumeric || leaf.type == .any || isOrdered && leaf.type == .date
    else {
      throw QueryPredicateError(
        .invalidQuery,
        "Operation '\(operation)' not supported for \(leaf.typeDescription) property "
          + "'\(root.className).\(path)'")
    }
    return leaf.type
  }
}

extension Aggregation {
  /// The sum as a number of some type.
  ///
  /// Whether a sum fits follows from the data: one of stored values that does not fit is reported to their
  /// Realm, and is zero. Values in memory have no Realm; a sum of them that does not fit stops the process, and
  /// so does one of a type that has no zero.
  func sum<Result>(
    _ property: String, in core: RealmCore?, _ make: (Value) -> Result?
  ) -> Result {
    if let result = sum.flatMap(make) { return result }
    guard let core, let zero = make(.int(0)) else {
      ProgrammingError.stop(
        "The sum of '\(property)' does not fit '\(Result.self)': sum a wider type.")
    }
    core.report(
      Realm.Error(
        .fail, "the sum of '\(property)' does not fit '\(Result.self)'",
        core.configuration.fileURL))
    return zero
  }
}
