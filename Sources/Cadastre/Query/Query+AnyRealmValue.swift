import CadastreModel

extension Query where Value == AnyRealmValue {
  /// The value under a key of a map; where there is none, nothing matches.
  public subscript(key: String) -> Query<AnyRealmValue> {
    Query(.way(way.subscripted(.key(key))))
  }

  /// The element of a list at an index; where there is none, nothing matches.
  ///
  /// A negative index is an error of the condition.
  public subscript(index: Int) -> Query<AnyRealmValue> {
    Query(.way(way.subscripted(.index(index))))
  }

  /// Any element of a list, any value of a map.
  public var any: Query<AnyRealmValue> { Query(.way(way.every)) }
}
