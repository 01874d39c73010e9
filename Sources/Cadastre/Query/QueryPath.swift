import CadastreModel

/// The path from an object to values in a type-safe condition.
struct QueryPath {
  private var steps: [PropertyPath.Step] = []
  /// The class that has the last property.
  private var owner: ObjectBase.Type?
  /// The number of steps up to each collection whose elements are queried, in path order.
  private var collections: [Int] = []
  /// The kind of collection of the last property.
  private var lastKind: CollectionKind?
  private var hasWildcard = false
  private var hasSubscript = false
  /// Whether the last step is an entry of a map.
  private(set) var endsInEntry = false

  /// The queried objects.
  static let start = QueryPath()
  /// Returns the objects on one side of a join.
  static func side(_ name: String) -> QueryPath {
    var extended = QueryPath()
    extended.steps = [.property(name)]
    return extended
  }
  /// The queried values, if they are not objects.
  static var itself: QueryPath {
    var extended = QueryPath()
    extended.steps = [.property("self")]
    return extended
  }

  /// The path; an empty one stops the process.
  var path: PropertyPath {
    guard !steps.isEmpty else {
      ProgrammingError.stop(
        "A query compares properties of objects, not objects or conditions themselves.")
    }
    return PropertyPath(steps: steps)
  }

  /// The name of the class that has the last property.
  private var ownerName: String { owner?.className() ?? "" }

  /// The name of the last property.
  private var name: String { path.names.last ?? "" }

  /// Whether the path ends in any number of values.
  var isToMany: Bool { !collections.isEmpty || hasWildcard }

  /// Whether the path continues from the elements of a collection.
  var isBehindCollection: Bool {
    hasWildcard || collections.first.map { $0 < steps.count } ?? false
  }

  // MARK: Extending

  /// Returns the path extended by a property.
  func appending(
    _ property: [PropertyPath.Step], of owner: ObjectBase.Type, _ shape: PropertyShape
  ) -> QueryPath {
    if endsInEntry { ProgrammingError.stop("Cannot apply key path to Map subscripts.") }
    var extended = entered
    // The steps of a single property share the memory of all its uses.
    extended.steps = extended.steps.isEmpty ? property : extended.steps + property
    extended.owner = owner
    if shape.collection != nil || shape.type == .linkingObjects {
      extended.collections.append(extended.steps.count)
      extended.lastKind = shape.collection
    }
    return extended
  }

  /// The path to the values of a map if the path ends in one, because a name after a map would be a key.
  private var entered: QueryPath {
    guard collections.last == steps.count, lastKind == .map else { return self }
    return values
  }

  /// The path to the values of a map.
  var values: QueryPath { appending(.values) }

  /// The path to the keys of a map.
  var keys: QueryPath { appending(.keys) }

  /// The path to each element of a list or value of a map in a value of any type.
  var every: QueryPath {
    var extended = appending(.every)
    extended.hasWildcard = true
    extended.hasSubscript = true
    return extended
  }

  /// Returns the path to one element of a list, or to the value under a key.
  func subscripted(_ step: PropertyPath.Step) -> QueryPath {
    var extended = appending(step)
    extended.hasSubscript = true
    // The subscript selects one element of the collection.
    if collections.last == steps.count {
      extended.collections.removeLast()
      extended.endsInEntry = lastKind == .map
    }
    return extended
  }

  /// Returns the path to a measure of a geometry or a part of a date, or of each one of a collection.
  func appending(_ measure: ValueMeasure) -> QueryPath {
    entered.appending(.property(measure.name))
  }

  private func appending(_ step: PropertyPath.Step) -> QueryPath {
    var extended = self
    extended.steps.append(step)
    extended.lastKind = nil
    extended.endsInEntry = false
    return extended
  }

  // MARK: Operands

  /// The values at the end of the path as one side of a comparison.
  var side: QuerySide {
    QuerySide(operand: operand, isToMany: isToMany, inside: inside(\.operand))
  }

  /// The number of elements of the collection at the end.
  var count: QuerySide {
    QuerySide(
      operand: .count(of: path), isToMany: isBehindCollection,
      inside: inside { .count(of: $0.path) })
  }

  private var operand: Operand { isToMany ? .elements(.any, path) : .values(at: path) }

  /// Aggregates the collection, or a property of its objects; a path without a collection stops the process.
  func aggregate(_ operation: Aggregate.Operation) -> QuerySide {
    guard let end = collections.first else {
      ProgrammingError.stop(
        "Invalid keypath '\(path).\(operation.rawValue)': Property '\(ownerName).\(name)' is not a link "
          + "or collection and can only appear at the end of a keypath.")
    }
    let aggregate = Aggregate(operation, of: collection(end), member: members(end))
    return QuerySide(
      operand: .aggregate(aggregate), isToMany: false,
      inside: .refused(
        "Subqueries compare properties of each object in a collection, and '\(path)."
          + "\(operation.rawValue)' is computed from all of them."))
  }

  /// Compares the embedded object or the whole collection at the end of the path with a constant.
  func whole(_ operation: ComparisonOperator, _ constant: Operand) -> QueryCondition {
    let inside = inside(\.operand)?.mapped { side in
      var side = side
      if case .elements(.any, let path) = side, !constant.isMembers { side = .property(path) }
      return QueryPredicate.comparison(Comparison(side, operation, constant))
    }
    if case .objects(let collection, let predicate, _)? = inside {
      return QueryCondition(
        .compareCount(of: collection, where: predicate, .greater, .int(0)), inside)
    }
    if case .refused(let why)? = inside, hasSubscript, let end = collections.first,
      end < steps.count
    {
      ProgrammingError.stop(why)
    }
    // One element of a collection must match in all its members.
    let operand = collections.first.map { .property(collection($0)) } ?? operand
    return QueryCondition(.comparison(Comparison(operand, operation, constant)), inside)
  }

  private func collection(_ end: Int) -> PropertyPath {
    PropertyPath(steps: Array(steps[..<end]))
  }

  /// Returns the path from the objects of a collection; nil if the path ends at the collection.
  private func members(_ end: Int) -> PropertyPath? {
    let rest = steps[end...].drop { $0 == .values }
    return rest.isEmpty ? nil : PropertyPath(steps: Array(rest))
  }

  /// Returns the path from the objects of the first collection.
  private func behind(_ rest: PropertyPath) -> QueryPath {
    var extended = self
    extended.steps = rest.steps
    extended.collections = collections.dropFirst().map { $0 - (steps.count - rest.steps.count) }
    return extended
  }

  /// Returns the form of the path inside a subquery on its first collection; nil without a collection.
  private func inside(_ make: (QueryPath) -> Operand) -> QuerySide.Inside? {
    if hasSubscript {
      return .refused("Subqueries cannot look at elements by subscript, as in '\(path)'.")
    }
    guard let end = collections.first else { return nil }
    guard let rest = members(end), case .property? = rest.steps.first else {
      return .refused(
        "Subqueries compare properties of the objects in a collection: '\(path)' leads to none.")
    }
    let extended = behind(rest)
    let part = make(extended)
    return .objects(
      collection(end), part, inside: extended.inside(make) ?? .outside(part))
  }
}
