import CadastreGeometry
package import CadastreModel
import Foundation

extension QueryPredicate {
  /// The predicate with its names found in the schema and its constants brought to the types of the
  /// properties beside them, properties on the left.
  ///
  /// - Parameters:
  ///   - schema: All classes that paths may lead to.
  ///   - root: The class whose objects are asked about.
  /// - Returns: A predicate that means the same and is known to fit.
  /// - Throws: ``QueryPredicateError`` at the first name or constant that does not fit.
  package func bound(
    to schema: Schema, root: ObjectSchema
  ) throws(QueryPredicateError) -> QueryPredicate {
    try Binder(schema: schema, root: root).bind(self)
  }
}

/// Checks a predicate against a schema and brings its constants to the right types.
struct Binder {
  let schema: Schema
  let root: ObjectSchema

  func bind(_ predicate: QueryPredicate) throws(QueryPredicateError) -> QueryPredicate {
    switch predicate {
    case .constant: return predicate
    case .not(let inner): return .not(try bind(inner))
    case .and(let parts): return .and(try bind(parts))
    case .or(let parts): return .or(try bind(parts))
    case .comparison(let comparison): return .comparison(try bind(comparison))
    case .geoWithin(let within): return .geoWithin(try bind(within))
    }
  }

  private func bind(_ parts: [QueryPredicate]) throws(QueryPredicateError) -> [QueryPredicate] {
    var bound: [QueryPredicate] = []
    for part in parts { bound.append(try bind(part)) }
    return bound
  }

  // MARK: Comparisons

  private func bind(_ comparison: Comparison) throws(QueryPredicateError) -> Comparison {
    let comparison = try oriented(comparison)
    guard case .property(let path) = comparison.left else { return comparison }
    let resolved = try schema.resolve(path, from: root)
    try check(comparison.operation, comparison.options, against: resolved)
    var bound = comparison
    switch comparison.right {
    case .property(let other):
      try checkTypes(resolved, try schema.resolve(other, from: root), comparison.operation)
    case .value(let value):
      try checkArity(comparison.operation, resolved, hasList: false)
      bound.right = .value(try fitted(value, to: resolved, comparison.operation))
    case .list(let values):
      try checkArity(comparison.operation, resolved, hasList: true)
      bound.right = .list(try fitted(values, to: resolved, comparison.operation))
    case .object(let reference):
      try checkArity(comparison.operation, resolved, hasList: false)
      try check(reference, against: resolved)
    }
    return bound
  }

  /// The comparison with a property on its left.
  private func oriented(_ comparison: Comparison) throws(QueryPredicateError) -> Comparison {
    if case .property = comparison.left { return comparison }
    guard case .property(let path) = comparison.right else {
      throw QueryPredicateError(
        .invalidQuery,
        "Predicate expressions must compare a keypath and another keypath or a constant value, "
          + "found two constants: \(comparison)")
    }
    guard let mirrored = comparison.operation.mirrored else {
      throw QueryPredicateError(
        .invalidQuery,
        "operator '\(comparison.operation.rawValue)' requires a keypath on the left side",
        span: path.span)
    }
    return Comparison(comparison.right, mirrored, comparison.left, options: comparison.options)
  }

  private func check(
    _ operation: ComparisonOperator, _ options: StringOptions, against resolved: ResolvedPath
  ) throws(QueryPredicateError) {
    let leaf = resolved.leaf
    let isText = leaf.collection == nil && (leaf.type == .string || leaf.type == .data)
    let fits: Bool =
      if leaf.collection != nil {
        operation == .equal || operation == .notEqual
      } else if operation.isSubstring {
        isText
      } else if operation.isOrdered {
        leaf.type != .object
      } else {
        true
      }
    guard fits else {
      throw QueryPredicateError(
        .invalidQuery,
        "Operator '\(operation.rawValue)' not supported for type '\(leaf.typeDescription)' of "
          + "property '\(resolved.path)'", span: resolved.path.span)
    }
    guard options.isEmpty || isText else {
      throw QueryPredicateError(
        .invalidQuery,
        "\(options.suffix) applies to strings, and '\(resolved.path)' is of type "
          + "'\(leaf.typeDescription)'", span: resolved.path.span)
    }
    if operation == .like, options.contains(.diacriticInsensitive) {
      throw QueryPredicateError(
        .invalidQuery, "Operator 'LIKE' not supported with diacritic-insensitive modifier.",
        span: resolved.path.span)
    }
  }

  private func checkArity(
    _ operation: ComparisonOperator, _ resolved: ResolvedPath, hasList: Bool
  ) throws(QueryPredicateError) {
    let wantsList = operation == .isIn || operation == .between || resolved.leaf.isArray
    guard wantsList != hasList else { return }
    throw QueryPredicateError(
      .invalidQuery,
      hasList
        ? "operator '\(operation.rawValue)' compares '\(resolved.path)' with one value, found a list"
        : "operator '\(operation.rawValue)' compares '\(resolved.path)' with a list such as "
          + "{1, 2}, found a single value", span: resolved.path.span)
  }

  private func checkTypes(
    _ first: ResolvedPath, _ second: ResolvedPath, _ operation: ComparisonOperator
  ) throws(QueryPredicateError) {
    let (left, right) = (first.leaf, second.leaf)
    let sameKind =
      left.collection == right.collection && left.objectClassName == right.objectClassName
      && (left.type == right.type || left.type.isNumeric && right.type.isNumeric)
    let isComparable = left.collection == nil && !schema.isEmbedded(left)
    guard sameKind, isComparable, operation != .isIn, operation != .between else {
      throw QueryPredicateError(
        .invalidQuery,
        "Property type mismatch between '\(first.path)' (\(left.typeDescription)) and "
          + "'\(second.path)' (\(right.typeDescription))", span: second.path.span)
    }
  }

  private func check(
    _ reference: ObjectReference, against resolved: ResolvedPath
  ) throws(QueryPredicateError) {
    let leaf = resolved.leaf
    guard leaf.type == .object, leaf.objectClassName == reference.className,
      !schema.isEmbedded(leaf)
    else {
      throw QueryPredicateError(
        .invalidQuery,
        "Cannot compare an object of type '\(reference.className)' to property "
          + "'\(resolved.path)' of type '\(leaf.typeDescription)'", span: resolved.path.span)
    }
  }

  // MARK: Constants

  private func fitted(
    _ values: [Value], to resolved: ResolvedPath, _ operation: ComparisonOperator
  ) throws(QueryPredicateError) -> [Value] {
    if operation == .between, values.count != 2 {
      throw QueryPredicateError(
        .invalidQuery,
        "Operator 'BETWEEN' requires list with 2 elements, found \(values.count)",
        span: resolved.path.span)
    }
    var fitted: [Value] = []
    for value in values {
      if value.isNull, operation == .between || resolved.leaf.isArray {
        throw mismatch(value, resolved)
      }
      fitted.append(try self.fitted(value, to: resolved, operation))
    }
    return fitted
  }

  /// A constant as the property's type would hold it; numbers stay as they are, since numbers of
  /// all kinds compare by value.
  private func fitted(
    _ value: Value, to resolved: ResolvedPath, _ operation: ComparisonOperator
  ) throws(QueryPredicateError) -> Value {
    switch (resolved.leaf.type, value) {
    case (_, .null):
      // What is looked for inside a string may be null (and is then never found).
      guard resolved.isNullable || operation.isSubstring else { throw nullMismatch(resolved) }
      return value
    case (.bool, .int(let number)) where number == 0 || number == 1: return .bool(number == 1)
    case (.int, .int), (.int, .float), (.int, .double): return try finite(value, resolved)
    case (.float, .int), (.float, .float), (.float, .double): return value
    case (.double, .int), (.double, .float), (.double, .double): return value
    case (.UUID, .string(let text)):
      guard let uuid = UUID(uuidString: text) else { throw mismatch(value, resolved) }
      return .uuid(uuid)
    case (.bool, .bool), (.string, .string), (.data, .data), (.date, .date),
      (.objectId, .objectId), (.UUID, .uuid):
      return value
    default: throw mismatch(value, resolved)
    }
  }

  private func finite(_ value: Value, _ resolved: ResolvedPath) throws(QueryPredicateError) -> Value
  {
    guard value.doubleValue?.isFinite == true else {
      throw QueryPredicateError(
        .invalidQuery,
        "Infinity/NaN not supported for int property '\(resolved.path)'",
        span: resolved.path.span)
    }
    return value
  }

  private func nullMismatch(_ resolved: ResolvedPath) -> QueryPredicateError {
    QueryPredicateError(
      .invalidQuery,
      "Property '\(resolved.path)' of type '\(resolved.leaf.typeDescription)' is not optional and "
        + "cannot be compared with null", span: resolved.path.span)
  }

  private func mismatch(_ value: Value, _ resolved: ResolvedPath) -> QueryPredicateError {
    let literal = PredicateText.literal(value)
    let quoted = literal.hasPrefix("'") ? literal : "'\(literal)'"
    return QueryPredicateError(
      .invalidQuery,
      "Cannot compare value \(quoted) of type "
        + "'\(value.type?.description ?? "null")' to property '\(resolved.path)' of type "
        + "'\(resolved.leaf.typeDescription)'", span: resolved.path.span)
  }

  // MARK: Geography

  private func bind(_ within: GeoWithin) throws(QueryPredicateError) -> GeoWithin {
    let resolved = try schema.resolve(within.path, from: root)
    guard let target = schema.target(of: resolved.leaf), resolved.leaf.type == .object else {
      throw QueryPredicateError(
        .invalidQuery,
        "'\(within.path)' is of type '\(resolved.leaf.typeDescription)'; GEOWITHIN needs an embedded "
          + "object in the shape of a GeoJSON point", span: within.path.span)
    }
    guard target.isEmbedded else {
      throw QueryPredicateError(
        .invalidQuery,
        "A GEOWITHIN query can only operate on a link to an embedded class but "
          + "'\(target.className)' is at the top level", span: within.path.span)
    }
    guard target.isPointShaped else {
      throw QueryPredicateError(
        .invalidQuery,
        "'\(within.path)' links to data in the wrong format for a geoWithin query: "
          + "'\(target.className)' needs `type: String` and `coordinates: List<Double>`",
        span: within.path.span)
    }
    do throws(RegionError) {
      _ = try PreparedRegion(within.shape, edges: within.edges)
    } catch {
      throw QueryPredicateError(.invalidArgument, error.description, span: within.path.span)
    }
    return within
  }
}

extension Schema {
  /// Whether a property holds an embedded object.
  package func isEmbedded(_ property: Property) -> Bool {
    target(of: property)?.isEmbedded == true
  }
}
