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

  /// The expectation that rings violate which are too short or not closed.
  static let closedRings = "closed rings of at least four points, the last equal to the first"
  /// The expectation that coordinates out of range violate.
  static let coordinatesInRange = "a longitude from -180 to 180 and a latitude from -90 to 90"

  /// One sentence: what was expected, at which offset, and what was found.
  public var description: String {
    "expected \(expected) at byte \(offset), found \(found)"
  }
}
