/// A syntax error in WKT, WKB or GeoJSON.
public struct GeometryTextError: Error, Hashable, CustomStringConvertible {
  /// The offset of the error, in bytes from the start.
  public let offset: Int
  /// The expected content at the offset.
  public let expected: String
  /// The content found at the offset.
  public let found: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - offset: The offset of the error, in bytes from the start.
  ///   - expected: The expected content.
  ///   - found: The content found.
  public init(offset: Int, expected: String, found: String) {
    self.offset = offset
    self.expected = expected
    self.found = found
  }

  /// Creates the error for positions that do not form a geometry.
  init(_ error: GeometryError, offset: Int) {
    let expected =
      switch error {
      case .lineTooShort: "a line of at least two points"
      case .ringTooShort, .ringNotClosed:
        "closed rings of at least four points, the last equal to the first"
      case .nestedTooDeeply(let maximum): "at most \(maximum) levels of collections"
      case .tooManyPositions(_, let maximum): "at most \(maximum) points"
      case .circleTooLarge, .geometryLibrary: "a geometry"
      }
    self.init(offset: offset, expected: expected, found: error.description)
  }

  /// The expectation that coordinates out of range violate.
  static let coordinatesInRange = "a longitude from -180 to 180 and a latitude from -90 to 90"

  /// One sentence: what was expected, at which offset, and what was found.
  public var description: String {
    "expected \(expected) at byte \(offset), found \(found)"
  }
}
