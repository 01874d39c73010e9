public import CadastreGeometry
public import CadastreModel

/// A value that a predicate's text leaves a place for, as `%@` or `$0`.
public indirect enum PredicateArgument: Hashable, Sendable {
  /// A single value.
  case value(Value)
  /// Several values, for IN and BETWEEN.
  case list([Value])
  /// A region, for GEOWITHIN.
  case shape(GeoShape)
  /// An object, to compare a link with.
  case object(ObjectReference)
  /// Several objects, for a link IN them.
  case objects([ObjectReference])
  /// The members of an embedded object, to be equal to all of them.
  case members([EmbeddedMember])
}

/// One member of an embedded object to compare with.
public struct EmbeddedMember: Hashable, Sendable {
  /// The member's name.
  public var name: String
  /// What it must be equal to: a value, a list of values, or members of its own.
  public var content: PredicateArgument

  /// Names a member and what it must be equal to.
  public init(_ name: String, _ content: PredicateArgument) {
    self.name = name
    self.content = content
  }
}

extension QueryPredicate {
  /// The embedded object at a path is there and equal to the given one, member by member.
  ///
  /// It is an ordinary conjunction, so each member can use its index. Where the embedded object is
  /// null nothing matches, also if every member to compare with is null. Members that are links
  /// have no memberwise equality.
  ///
  /// - Throws: ``QueryPredicateError`` when a member is a region or an object.
  package static func memberwiseEqual(
    _ path: PropertyPath, _ members: [EmbeddedMember]
  ) throws(QueryPredicateError) -> QueryPredicate {
    var parts = [QueryPredicate.compare(path, .notEqual, .null)]
    for member in members {
      let memberPath = path.appending(member.name)
      switch member.content {
      case .value(let value): parts.append(.compare(memberPath, .equal, value))
      case .list(let values):
        parts.append(.comparison(Comparison(.property(memberPath), .equal, .list(values))))
      case .members(let inner): parts.append(try memberwiseEqual(memberPath, inner))
      case .shape, .object, .objects:
        throw QueryPredicateError(
          .invalidArgument,
          "embedded objects cannot be compared by their member '\(member.name)': memberwise "
            + "equality covers primitive members, not links or regions",
          span: path.span)
      }
    }
    return .all(parts)
  }
}
