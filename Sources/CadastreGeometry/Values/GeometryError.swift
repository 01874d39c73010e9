/// The reason why positions are no geometry.
public enum GeometryError: Error, Hashable, Sendable {
  /// A line string has one position, where it needs two or none.
  case lineTooShort(part: Int)
  /// A ring has fewer than four positions.
  case ringTooShort(part: Int, ring: Int)
  /// The last position of a ring differs from its first.
  case ringNotClosed(part: Int, ring: Int)
  /// Collections are nested too deeply.
  case nestedTooDeeply(maximum: Int)
  /// The geometry has too many positions.
  case tooManyPositions(Int, maximum: Int)
  /// A circle of 90° or more is no polygon, because the interior of a ring is its smaller side.
  case circleTooLarge(radians: Double)
  /// The operation of GEOS failed; the message of GEOS.
  case geometryLibrary(String)
}

extension GeometryError: CustomStringConvertible {
  /// One sentence: the rule and where it is violated; parts and rings are counted from 0.
  public var description: String {
    switch self {
    case .lineTooShort(let part):
      "line \(part) has one position; a line string has at least two, or none"
    case .ringTooShort(let part, let ring):
      "ring \(ring) of polygon \(part) has fewer than four positions"
    case .ringNotClosed(let part, let ring):
      "ring \(ring) of polygon \(part) is not closed: its last position differs from its first"
    case .nestedTooDeeply(let maximum):
      "collections are nested more than \(maximum) deep"
    case .tooManyPositions(let count, let maximum):
      "the geometry has \(count) positions; it may have \(maximum) at most"
    case .circleTooLarge(let radians):
      "a circle with a radius of \(radians) radians is no polygon; the radius must be less than π/2"
    case .geometryLibrary(let text): text
    }
  }
}
