/// Where and why text, or well-known binary, is not the geometry it should be.
public struct GeometryTextError: Error, Hashable, CustomStringConvertible {
  /// Bytes before the place where reading stopped.
  public let offset: Int
  /// What could have stood there.
  public let expected: String
  /// What stood there instead.
  public let found: String

  /// Makes the error.
  public init(offset: Int, expected: String, found: String) {
    self.offset = offset
    self.expected = expected
    self.found = found
  }

  /// One sentence with all three.
  public var description: String {
    "expected \(expected) at byte \(offset), found \(found)"
  }
}
