public import CadastreGeometry
public import CadastreModel

/// A value for a placeholder of a predicate text, `%@` or `$0`.
///
///     let arguments: [PredicateArgument] = [
///       .value(.double(300)), .list([.string("FR"), .string("BE")]), .shape(.circle(circle)),
///     ]
///     let predicate = try QueryPredicate(
///       parsing: "elevation > %@ AND country IN %@ AND location GEOWITHIN %@",
///       arguments: arguments)
///
/// `filter(_:_:)` also takes Swift values, and converts them.
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
  /// The value, list of values, or members that it must be equal to.
  public var content: PredicateArgument

  /// Names a member and the content that it must be equal to.
  public init(_ name: String, _ content: PredicateArgument) {
    self.name = name
    self.content = content
  }
}
