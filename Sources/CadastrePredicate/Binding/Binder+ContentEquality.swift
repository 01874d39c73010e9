import CadastreModel

/// Conditions that the content at a path is equal to a constant.
extension Binder {
  /// Returns the condition that the content at a path is equal to a constant.
  func equality(
    _ path: PropertyPath, _ content: PredicateArgument
  ) throws(QueryPredicateError) -> QueryPredicate {
    let bound = try resolve(path)
    switch (bound.end, content) {
    case (.object, .members(let members)): return try memberwise(path, members)
    case (.collection(let property, _), .value(.map)), (.collection(let property, _), .entries),
      (.collection(let property, _), .members), (.collection(let property, _), .list([])):
      guard property.isMap, let entries = content.named else { break }
      try checkMembers(entries.map(\.content), schema.target(of: property), path)
      return try entrywise(path, entries)
    default: break
    }
    switch (bound.end, content) {
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
    let type = Comparand(bound, span: nil).typeDescription
    throw mismatch(content, type, path.span)
  }

  /// Returns the condition that an embedded object is not null, and is equal to another one member by member.
  ///
  /// A null embedded object does not match, even if all members of the other one are null.
  private func memberwise(
    _ path: PropertyPath, _ members: [EmbeddedMember]
  ) throws(QueryPredicateError) -> QueryPredicate {
    let isThere: QueryPredicate =
      path.isPlain
      ? .compare(path, .notEqual, .null) : .compareCount(of: path, .equal, .int(1))
    return .all([isThere] + (try equalities(members, of: path, span: path.span)))
  }

  /// Returns the conditions that members of the object at a path have some contents; without a path, those of the
  /// queried object.
  func equalities(
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

  /// Refuses references to embedded objects in a whole collection, because no other collection has the same objects.
  private func checkMembers(
    _ elements: [PredicateArgument], _ target: ObjectSchema?, _ path: PropertyPath
  ) throws(QueryPredicateError) {
    guard target?.isEmbedded == true else { return }
    for case .object in elements { throw Self.needsMembers(path.span) }
  }

  /// Returns the error for a reference to an embedded object in a whole collection.
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
}
