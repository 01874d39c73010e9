import CadastreModel

/// Comparisons with whole contents, in terms of comparisons of members and elements.
///
/// An embedded object is equal member by member, a list element by element in order, a set as a set, a map by
/// keys and values. Each part is an ordinary comparison, so that it can use its index.
extension Binder {
  /// Returns the comparisons of members and elements that mean the same as a comparison with content; nil for
  /// another comparison.
  ///
  /// - Throws: ``QueryPredicateError`` for content that does not fit the path.
  func decomposed(
    _ comparison: Comparison
  ) throws(QueryPredicateError) -> QueryPredicate? {
    let operation = comparison.operation
    switch (comparison.left, comparison.right) {
    case (let left, .content(let content)): return try compare(left, operation, content)
    case (.content(let content), let right):
      // An embedded object IN a collection is equal to any of its elements.
      return try compare(right, operation == .isIn ? .equal : operation, content)
    case (.property(let path), let constant), (let constant, .property(let path)):
      guard operation.isEquality, constant.mayBeContent,
        try resolve(path).isContent(constant)
      else { return nil }
      return try compare(.property(path), operation, constant.argument ?? .list([]))
    default: return nil
    }
  }

  private func compare(
    _ operand: Operand, _ operation: ComparisonOperator, _ content: PredicateArgument
  ) throws(QueryPredicateError) -> QueryPredicate {
    guard let (_, path) = operand.values else {
      throw QueryPredicateError(
        .invalidQuery, "\(content) can be compared with properties only")
    }
    if operation == .isIn, case .elements(let elements) = content {
      return try isEqual(operand, toOneOf: elements)
    }
    guard operation.isEquality else {
      throw QueryPredicateError(
        .invalidQuery, "operator '\(operation.rawValue)' cannot compare \(content.kindDescription)",
        span: path.span)
    }
    let bound = try resolve(path)
    if case .members(let members) = content, bound.entered.isToMany,
      case .object(let target) = bound.entered.end
    {
      return try compare(operand, operation, members, of: target)
    }
    guard !bound.isToMany else {
      throw QueryPredicateError(
        .invalidQuery,
        "'\(path)' leads to any number of values, and \(content.kindDescription) is compared with one",
        span: path.span)
    }
    if case .elements(let quantifier, _) = operand, case .collection = bound.end {
      throw QueryPredicateError(
        .invalidQuery,
        "\(quantifier.rawValue) compares elements, and \(content.kindDescription) is compared with "
          + "the whole of '\(path)'", span: path.span)
    }
    let equality = try equality(path, content)
    return operation == .equal ? equality : try complement(of: equality, at: path, bound)
  }

  /// Returns the condition that a value is equal to one of several.
  private func isEqual(
    _ operand: Operand, toOneOf elements: [PredicateArgument]
  ) throws(QueryPredicateError) -> QueryPredicate {
    var equal = operand
    if case .elements(let quantifier, let path) = operand {
      guard quantifier != .all else {
        throw QueryPredicateError(
          .invalidQuery,
          "'ALL \(path) IN' needs values only, or objects only: use NOT ANY and comparisons",
          span: path.span)
      }
      equal = .elements(.any, path)
      if quantifier == .none { return .not(try isEqual(equal, toOneOf: elements)) }
    }
    return .any(
      elements.compactMap(\.operand).map { .comparison(Comparison(equal, .equal, $0)) })
  }

  /// Returns the comparison of the embedded objects of a collection with members.
  private func compare(
    _ operand: Operand, _ operation: ComparisonOperator, _ members: [EmbeddedMember],
    of target: ObjectSchema
  ) throws(QueryPredicateError) -> QueryPredicate {
    guard let (quantifier, path) = operand.values else { return .constant(false) }
    let matching = QueryPredicate.all(
      try Binder(schema: schema, root: target).equalities(members, of: nil, span: path.span))
    if case .property = operand {
      let isThere = QueryPredicate.compareCount(of: path, where: matching, .greater, .int(0))
      if operation == .equal { return isThere }
      return .and([
        .compareCount(of: path, .greater, .int(0)),
        .compareCount(of: path, where: matching, .equal, .int(0)),
      ])
    }
    let wanted = operation == .equal ? matching : .not(matching)
    return switch quantifier {
    case .any: .compareCount(of: path, where: wanted, .greater, .int(0))
    case .none: .compareCount(of: path, where: wanted, .equal, .int(0))
    case .all: .compareCount(of: path, where: .not(wanted), .equal, .int(0))
    }
  }

  /// Returns the complement; a missing element of a list is not unequal either.
  private func complement(
    of equality: QueryPredicate, at path: PropertyPath, _ bound: BoundPath
  ) throws(QueryPredicateError) -> QueryPredicate {
    if bound.isMixed {
      if bound.isPlain { return .not(equality) }
      let type = Operand.elements(.any, path.appending([.type]))
      let null = Value.string(TypeName.of(.null))
      return .and([
        .or([
          .comparison(Comparison(type, .equal, .value(null))),
          .comparison(Comparison(type, .notEqual, .value(null))),
        ]),
        .not(equality),
      ])
    }
    guard let index = path.steps.lastIndex(where: \.isPosition) else { return .not(equality) }
    let element = PropertyPath(steps: Array(path.steps[...index]), span: path.span)
    return .and([.compareCount(of: element, .equal, .int(1)), .not(equality)])
  }

  // MARK: Equality

  /// Returns the condition that the content at a path is equal to a constant.
  private func equality(
    _ path: PropertyPath, _ content: PredicateArgument
  ) throws(QueryPredicateError) -> QueryPredicate {
    let end = try resolve(path).end
    switch (end, content) {
    case (.object, .members(let members)): return try memberwise(path, members)
    case (.collection(let property, _), .value(.map)), (.collection(let property, _), .entries),
      (.collection(let property, _), .members), (.collection(let property, _), .list([])):
      guard property.isMap, let entries = content.named else { break }
      try checkMembers(entries.map(\.content), schema.target(of: property), path)
      return try entrywise(path, entries)
    default: break
    }
    switch (end, content) {
    case (.value(.any), _): return try mixedEquality(path, content)
    case (.object, .value(let value)), (.value, .value(let value)):
      return .compare(path, .equal, value)
    case (.object, .object(let object)):
      return .comparison(Comparison(.values(at: path), .equal, .object(object)))
    case (.collection(let property, let target), _)
    where !property.isMap && property.type != .linkingObjects:
      switch content {
      case .list(let values) where values.isEmpty && target != nil:
        return .compareCount(of: path, .equal, .int(0))
      case .list(let values):
        return .comparison(Comparison(.property(path), .equal, .list(values)))
      case .objects(let objects):
        return .comparison(Comparison(.property(path), .equal, .objects(objects)))
      case .elements(let elements):
        try checkMembers(elements, target, path)
        return property.isSet
          ? setEquality(path, elements) : try elementwise(path, target, elements)
      case .value, .object, .members, .entries, .shape: break
      }
    default: break
    }
    let type = Comparand(try resolve(path), span: nil).typeDescription
    throw mismatch(content, type, path.span)
  }

  /// Returns the condition that an embedded object is there, and equal to another one member by member.
  ///
  /// Where the embedded object is null nothing matches, also if every member to compare with is null.
  private func memberwise(
    _ path: PropertyPath, _ members: [EmbeddedMember]
  ) throws(QueryPredicateError) -> QueryPredicate {
    let isThere: QueryPredicate =
      path.isPlain
      ? .compare(path, .notEqual, .null) : .compareCount(of: path, .equal, .int(1))
    return .all([isThere] + (try equalities(members, of: path, span: path.span)))
  }

  /// Returns the conditions that members have some contents; nil for the members of the queried object.
  private func equalities(
    _ members: [EmbeddedMember], of path: PropertyPath?, span: TextSpan?
  ) throws(QueryPredicateError) -> [QueryPredicate] {
    var parts: [QueryPredicate] = []
    for member in members {
      let memberPath =
        path?.appending(member.name) ?? PropertyPath(steps: [.property(member.name)], span: span)
      parts.append(try equality(memberPath, member.content))
    }
    return parts
  }

  /// Returns the condition that a list has some elements, in their order.
  private func elementwise(
    _ path: PropertyPath, _ target: ObjectSchema?, _ elements: [PredicateArgument]
  ) throws(QueryPredicateError) -> QueryPredicate {
    var parts = [QueryPredicate.compareCount(of: path, .equal, .int(Int64(elements.count)))]
    if let target, case .members(let members)? = elements.first {
      // An index of a member finds the lists that contain the first element.
      for member in members {
        guard target[member.name]?.isIndexed == true, let value = member.content.value,
          !value.isNull
        else { continue }
        parts.append(.compare(.any, path.appending(member.name), .equal, value))
      }
    }
    for (index, element) in elements.enumerated() {
      parts.append(try equality(path[index], element))
    }
    return .all(parts)
  }

  /// Returns the condition that a set of values and links has some elements and no others.
  private func setEquality(_ path: PropertyPath, _ elements: [PredicateArgument]) -> QueryPredicate
  {
    var values: Set<ValueKey> = []
    var others: Set<PredicateArgument> = []
    let distinct = elements.filter { element in
      if let value = element.value { return values.insert(ValueKey(value)).inserted }
      return others.insert(element).inserted
    }
    return .all(
      [.compareCount(of: path, .equal, .int(Int64(distinct.count)))]
        + distinct.compactMap(\.operand).map {
          .comparison(Comparison(.elements(.any, path), .equal, $0))
        })
  }

  /// Returns the condition that a map has some entries and no others.
  private func entrywise(
    _ path: PropertyPath, _ entries: [EmbeddedMember]
  ) throws(QueryPredicateError) -> QueryPredicate {
    var parts = [QueryPredicate.compareCount(of: path, .equal, .int(Int64(entries.count)))]
    for entry in entries {
      // A missing entry reads as null.
      if entry.content == .value(.null) {
        parts.append(.compare(.any, path.keys, .equal, .string(entry.name)))
      }
      parts.append(try equality(path[entry.name], entry.content))
    }
    return .all(parts)
  }

  /// Returns the condition that a value of any type is equal to a value, a list or a map.
  private func mixedEquality(
    _ path: PropertyPath, _ content: PredicateArgument
  ) throws(QueryPredicateError) -> QueryPredicate {
    func holds(_ type: String, _ count: Int) -> [QueryPredicate] {
      [
        .comparison(
          Comparison(.elements(.any, path.appending([.type])), .equal, .value(.string(type)))),
        .compareCount(of: path, .equal, .int(Int64(count))),
      ]
    }
    switch content {
    case .value(let value): return .compare(path, .equal, value)
    case .list(let values): return .compare(path, .equal, .list(values))
    case .object(let object):
      return .comparison(Comparison(.values(at: path), .equal, .object(object)))
    case .objects(let objects):
      return try mixedEquality(path, .elements(objects.map(PredicateArgument.object)))
    case .elements(let elements):
      var parts = holds(TypeName.of(.list([])), elements.count)
      for (index, element) in elements.enumerated() {
        parts.append(try mixedEquality(path[index], element))
      }
      return .all(parts)
    case .members(let entries), .entries(let entries):
      let map = PredicateArgument(entries: entries)
      guard case .entries(let distinct) = map else { return try mixedEquality(path, map) }
      var parts = holds(TypeName.of(.map(ValueMap())), distinct.count)
      for entry in distinct {
        parts.append(try mixedEquality(path[entry.name], entry.content))
      }
      return .all(parts)
    case .shape: throw mismatch(content, "mixed", path.span)
    }
  }

  /// Refuses embedded objects that are named in a whole collection, because no other one holds the same.
  private func checkMembers(
    _ elements: [PredicateArgument], _ target: ObjectSchema?, _ path: PropertyPath
  ) throws(QueryPredicateError) {
    guard target?.isEmbedded == true else { return }
    for case .object in elements { throw Self.needsMembers(path.span) }
  }

  /// Returns the error for an embedded object that is named in a whole collection.
  static func needsMembers(_ span: TextSpan?) -> QueryPredicateError {
    QueryPredicateError(
      .invalidQuery,
      "embedded objects in a whole collection are compared by their members: use "
        + "PredicateArgument.memberwise(_:) or {'name': …}", span: span)
  }

  private func mismatch(
    _ content: PredicateArgument, _ type: String, _ span: TextSpan?
  ) -> QueryPredicateError {
    QueryPredicateError(
      .invalidQuery, "Cannot compare \(content.kindDescription) to a property of type '\(type)'",
      span: span)
  }
}

extension Operand {
  /// Whether the operand is a constant of a kind that may be the content of a whole collection.
  fileprivate var mayBeContent: Bool {
    switch self {
    case .list([]), .value(.map): true
    default: false
    }
  }
}

extension PredicateArgument {
  /// The entries of a map; nil for other contents.
  fileprivate var named: [EmbeddedMember]? {
    switch self {
    case .list([]): []
    case .value(.map(let map)): map.entries.map { EmbeddedMember($0.key, .value($0.value)) }
    case .entries(let entries): entries
    case .members(let members): PredicateArgument(entries: members).named
    case .value, .list, .shape, .object, .objects, .elements: nil
    }
  }

  /// The kind of the content in messages.
  fileprivate var kindDescription: String {
    switch self {
    case .members: "members of an embedded object"
    case .list, .objects, .elements: "a list"
    case .entries, .value(.map): "a map"
    case .object: "an object"
    case .shape: "a region"
    case .value(let value): PredicateText.literal(value)
    }
  }
}

extension BoundPath {
  /// Whether the path leads to a whole collection, of which a constant is compared by elements.
  fileprivate func isContent(_ constant: Operand) -> Bool {
    guard !isToMany, case .collection(let property, let target) = end,
      property.type != .linkingObjects
    else { return false }
    if case .list = constant { return target != nil || property.isMap }
    return property.isMap
  }
}

extension PropertyPath.Step {
  /// Whether the step leads to one element of a list.
  fileprivate var isPosition: Bool {
    switch self {
    case .index, .first, .last: true
    default: false
    }
  }
}
