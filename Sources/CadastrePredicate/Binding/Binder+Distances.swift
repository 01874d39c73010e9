import CadastreModel

/// Resolves distances that are compared with numbers of the object.
extension Binder {
  func bind(_ distance: MeasuredDistance) throws(QueryPredicateError) -> Side {
    let path: PropertyPath
    let other: GeometryRelation.Side
    switch (distance.left, distance.right) {
    case (_, .objects(let objects)):
      throw QueryPredicateError(
        .invalidQuery,
        "a distance to any object of '\(objects.className)' is compared with a length such as 5km only",
        span: objects.path.span)
    case (.path(let left), let right): (path, other) = (left, right)
    case (let left, .path(let right)): (path, other) = (right, left)
    default:
      throw QueryPredicateError(
        .invalidQuery, "GEODISTANCE needs a property of the object on one of its sides")
    }
    guard distance.quantifier != .all else {
      throw QueryPredicateError(
        .invalidQuery,
        "ALL is not supported for a distance that is compared with a property; negate ANY: "
          + "NOT GEODISTANCE(ANY \(path), …) > …", span: path.span)
    }
    let (left, right) = try sides(path, other, distance.edges, distance.quantifier)
    return Side(
      operand: .distance(
        BoundDistance(left, right, edges: distance.edges, quantifier: distance.quantifier)),
      comparand: Comparand(
        type: .double, name: "a distance", isToMany: left.entered.isToMany, span: path.span))
  }

  /// Refuses operators that do not compare by order, and constants, because a constant distance has a unit.
  func checkDistance(
    _ left: Side, _ operation: ComparisonOperator, _ right: Side
  ) throws(QueryPredicateError) {
    let span = left.comparand?.span ?? right.comparand?.span
    guard operation.isOrdered, operation != .between else {
      throw QueryPredicateError(
        .invalidQuery, "a distance compares by <, <=, > or >=, found '\(operation.rawValue)'",
        span: span)
    }
    guard left.comparand != nil, right.comparand != nil else {
      throw QueryPredicateError(
        .invalidQuery,
        "a distance compares with a number of the object in metres, or with a length on its right such as "
          + "GEODISTANCE(place, …) < 5km", span: span)
    }
  }
}

extension Binder.Side {
  /// Whether the side is a distance, not a calculation with one.
  var isDistance: Bool { operand.isDistance }
}

extension BoundOperand {
  /// Whether the operand is a distance, not a calculation with one.
  var isDistance: Bool { if case .distance = self { true } else { false } }
}
