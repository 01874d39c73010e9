public import CadastreModel
public import CadastrePredicate
import CadastreQuery
public import Foundation

/// A type whose values have a minimum and a maximum.
public protocol MinMaxType: RealmCollectionValue {}

/// A type whose values have a sum and an average.
public protocol AddableType: RealmCollectionValue {
  /// Converts an aggregate; nil if the type cannot represent it.
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
  /// Converts an aggregate, without its fraction.
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
  /// Converts an aggregate to the nearest number.
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
  /// Converts an aggregate.
  public init?(aggregate value: Value) { self.init(storedValue: value) }
}

@_documentation(visibility: internal)
extension AnyRealmValue {
  /// Converts an aggregate.
  public init?(aggregate value: Value) {
    guard let made = AnyRealmValue.make(fromDynamic: value) else { return nil }
    self = made
  }
}

@_documentation(visibility: internal)
extension Optional where Wrapped: AddableType & OptionalPersistable {
  /// Converts an aggregate; nil if the type cannot represent it.
  public init?(aggregate value: Value) { self = Wrapped(aggregate: value) }
}

@_documentation(visibility: internal)
extension AddableType where Self: FailableCustomPersistable, PersistedType: AddableType {
  /// Converts an aggregate of stored values to the mapped type.
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
    if queryResult.embedded != nil { return try unmanagedAggregation(property, operation) }
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
    // Without a predicate the result is not cached: reading the keys of all objects takes longer than reading
    // the column.
    let keepsResult = queryResult.query.predicate != .constant(true)
    let isColumn = queryResult.read(or: true) {
      try $0.forEachBatch(at: [path], keepsResult: keepsResult) { aggregation.add($0[0], $1) }
    }
    if !isColumn {
      queryResult.forEachValue(at: [path]) { aggregation.add($0[0]) }
    }
    return aggregation
  }

  private func unmanagedAggregation(
    _ property: String, _ operation: String
  ) throws(QueryPredicateError) -> Aggregation {
    guard let type = Element.propertyShape.objectType else {
      try requireSelf(property, operation)
      // The sum of no values of any type is the whole number 0.
      let type = Element.propertyShape.type
      var aggregation = Aggregation(of: type == .any && isEmpty ? .int : type)
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

  /// Returns the smallest value of a property; nil if there is none.
  ///
  /// A property without a minimum stops the process; for names from outside see ``min(checking:)``.
  public func min<Result: MinMaxType>(ofProperty property: String) -> Result? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in try min(checking: property) }
  }

  /// Returns the largest value of a property; nil if there is none.
  ///
  /// A property without a maximum stops the process; for names from outside see ``max(checking:)``.
  public func max<Result: MinMaxType>(ofProperty property: String) -> Result? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in try max(checking: property) }
  }

  /// Returns the sum of a property; zero for an empty collection.
  ///
  /// If the result type cannot represent the sum, such as a sum of integers beyond 64 bits, the result is
  /// zero and a read error is reported, see ``Realm/readError``. A sum of unmanaged values that the type
  /// cannot represent stops the process. A property without a sum also stops the process; for names from
  /// outside see ``sum(checking:)``.
  public func sum<Result: AddableType>(ofProperty property: String) -> Result {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try aggregation(property, "sum")
        .sum(property, in: handle.source?.core, Result.init(aggregate:))
    }
  }

  /// Returns the average of a property; nil for an empty collection.
  ///
  /// A property without an average stops the process; for names from outside see ``average(checking:)``.
  public func average<Result: AddableType>(ofProperty property: String) -> Result? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in try average(checking: property) }
  }

  // MARK: Names from outside

  /// Returns the smallest value of a property, whose name may come from outside the program; nil if there is
  /// none.
  ///
  /// - Parameter property: The path to the property, names joined by dots.
  /// - Returns: The value.
  /// - Throws: `QueryPredicateError` for a property without a minimum.
  public func min<Result: MinMaxType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result? {
    result(try aggregation(property, "min").minimum)
  }

  /// Returns the largest value of a property, whose name may come from outside the program; nil if there is
  /// none.
  ///
  /// - Parameter property: The path to the property, names joined by dots.
  /// - Returns: The value.
  /// - Throws: `QueryPredicateError` for a property without a maximum.
  public func max<Result: MinMaxType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result? {
    result(try aggregation(property, "max").maximum)
  }

  /// Returns the sum of a property, whose name may come from outside the program; zero for an empty
  /// collection.
  ///
  /// - Parameter property: The path to the property, names joined by dots.
  /// - Returns: The sum.
  /// - Throws: `QueryPredicateError` for a property without a sum, and for a sum that the result type cannot
  ///   represent.
  public func sum<Result: AddableType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result {
    guard let sum = try aggregation(property, "sum").sum.flatMap(Result.init(aggregate:)) else {
      throw QueryPredicateError(
        .invalidQuery, "The sum of '\(property)' does not fit '\(Result.self)'")
    }
    return sum
  }

  /// Returns the average of a property, whose name may come from outside the program; nil for an empty
  /// collection.
  ///
  /// - Parameter property: The path to the property, names joined by dots.
  /// - Returns: The average.
  /// - Throws: `QueryPredicateError` for a property without an average.
  public func average<Result: AddableType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result? {
    try aggregation(property, "average").average.flatMap(Result.init(aggregate:))
  }

  /// Aggregates the values of the collection, whose type has aggregates.
  fileprivate func ownAggregation(_ operation: String) -> Aggregation {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try aggregation("self", operation)
    }
  }
}

/// Aggregates of mapped types, computed from their stored values.
extension RealmCollection where Element: MappedPersistable, Element.StoredType: MinMaxType {
  /// Returns the smallest value; nil if there is none.
  @_disfavoredOverload
  public func min() -> Element? { result(ownAggregation("min").minimum) }

  /// Returns the largest value; nil if there is none.
  @_disfavoredOverload
  public func max() -> Element? { result(ownAggregation("max").maximum) }
}

/// Aggregates of mapped types, computed from their stored values.
extension RealmCollection where Element: MappedPersistable, Element.StoredType: AddableType {
  /// Returns the mapped sum of the stored values.
  ///
  /// A sum that cannot be mapped is a read error, as in ``RealmCollection/sum(ofProperty:)``.
  @_disfavoredOverload
  public func sum() -> Element {
    ownAggregation("sum").sum("self", in: handle.source?.core) { sum in
      Element.StoredType(aggregate: sum).flatMap { Element.make(fromDynamic: $0) }
    }
  }

  /// Returns the average of the stored values; nil for an empty collection.
  @_disfavoredOverload
  public func average<Result: AddableType>() -> Result? { average(ofProperty: "self") }
}

extension RealmCollection where Element: KeypathSortable {
  /// Returns the smallest value of a property; nil if there is none.
  public func min<Result: MinMaxType>(of keyPath: KeyPath<Element, Result>) -> Result? {
    min(ofProperty: Element.propertyName(of: keyPath))
  }

  /// Returns the largest value of a property; nil if there is none.
  public func max<Result: MinMaxType>(of keyPath: KeyPath<Element, Result>) -> Result? {
    max(ofProperty: Element.propertyName(of: keyPath))
  }

  /// Returns the sum of a property; zero for an empty collection.
  public func sum<Result: AddableType>(of keyPath: KeyPath<Element, Result>) -> Result {
    sum(ofProperty: Element.propertyName(of: keyPath))
  }

  /// Returns the average of a property as a value of its type; nil for an empty collection.
  public func average<Property: AddableType>(
    of keyPath: KeyPath<Element, Property>
  ) -> Property? {
    average(ofProperty: Element.propertyName(of: keyPath))
  }

  /// Returns the average of a property; nil for an empty collection.
  @_disfavoredOverload
  public func average<Property: AddableType, Result: AddableType>(
    of keyPath: KeyPath<Element, Property>
  ) -> Result? {
    average(ofProperty: Element.propertyName(of: keyPath))
  }
}

extension RealmCollection where Element: MinMaxType {
  /// Returns the smallest value; nil if there is none.
  public func min() -> Element? { min(ofProperty: "self") }

  /// Returns the largest value; nil if there is none.
  public func max() -> Element? { max(ofProperty: "self") }
}

extension RealmCollection where Element: AddableType {
  /// Returns the sum of the values; zero for an empty collection.
  public func sum() -> Element { sum(ofProperty: "self") }

  /// Returns the average of the values; nil for an empty collection.
  public func average<Result: AddableType>() -> Result? { average(ofProperty: "self") }
}

/// The property that an aggregate is computed from.
enum AggregatedProperty {
  /// Returns the type of a property.
  ///
  /// - Throws: `QueryPredicateError` if the operation is not defined for the property.
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
  /// Converts the sum to a type.
  ///
  /// Whether the type can represent the sum depends on the data. If it cannot, the error is reported to the
  /// Realm and the result is zero. Unmanaged values have no Realm: the sum then stops the process, as does a
  /// type without zero.
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
