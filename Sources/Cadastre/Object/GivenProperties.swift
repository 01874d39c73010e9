/// The properties that a value named from which an object is being created.
enum GivenProperties {
  case flat(Set<Int>)
  /// With the members that the values of mapped objects named, by property.
  indirect case nested(Set<Int>, members: [Int: Set<Int>])

  /// The indexes of the properties.
  var indexes: Set<Int> {
    switch self {
    case .flat(let indexes), .nested(let indexes, _): indexes
    }
  }

  /// Returns the members that the value of a mapped object named; nil for all.
  func members(of property: Int) -> GivenProperties? {
    guard case .nested(_, let members) = self else { return nil }
    return members[property].map(GivenProperties.flat)
  }
}
