/// Why a shape cannot be used as the region of a query.
public struct RegionError: Error, Hashable, CustomStringConvertible {
  /// What is wrong with the shape, and where.
  ///
  /// Rings are counted from 0, the shell.
  public enum Reason: Error, Hashable, Sendable {
    /// A longitude is not a number from -180 to 180.
    case longitudeOutOfRange(Double)
    /// A latitude is not a number from -90 to 90.
    case latitudeOutOfRange(Double)
    /// An altitude is not a number from 0 upwards.
    case altitudeOutOfRange(Double)
    /// A radius is negative or not a number.
    case invalidRadius(Double)
    /// There is nothing in the shape.
    case empty
    /// A ring does not end where it began.
    case ringNotClosed(ring: Int)
    /// A ring has fewer than three different vertices.
    case tooFewVertices(ring: Int)
    /// Two neighbours lie opposite each other on the sphere, so no arc between them is shortest.
    case antipodalNeighbours(longitude: Double, latitude: Double)
    /// An edge is used twice.
    case duplicateEdge(longitude: Double, latitude: Double)
    /// Edges cross, or a ring touches itself.
    case selfCrossing(longitude: Double, latitude: Double)
    /// A hole is not within the shell.
    case holeOutsideShell(longitude: Double, latitude: Double)
    /// A hole lies within another hole.
    case nestedHoles(longitude: Double, latitude: Double)
    /// The rings cut the inside into pieces.
    case insideDisconnected(longitude: Double, latitude: Double)
    /// GEOS could not judge the shape; its own words.
    case geometryLibrary(String)
  }

  /// The text of the shape, shortened in the middle when it is long.
  public let shape: String
  /// What is wrong.
  public let reason: Reason

  /// Makes the error; `shape` is shortened to about 200 characters.
  public init(shape: String, reason: Reason) {
    self.shape = Self.shortened(shape)
    self.reason = reason
  }

  /// One sentence: the shape, then the reason.
  public var description: String {
    "Invalid region in GEOWITHIN query for parameter '\(shape)': \(reason)"
  }

  /// Keeps both ends of a long text; 200 characters still show the kind and the first vertices.
  private static func shortened(_ text: String) -> String {
    guard text.utf8.count > 200 else { return text }
    return text.prefix(140) + " … " + text.suffix(50)
  }
}

extension RegionError.Reason: CustomStringConvertible {
  /// The reason as the end of a sentence.
  public var description: String {
    switch self {
    case .longitudeOutOfRange(let value):
      "longitude \(value) is not between -180 and 180"
    case .latitudeOutOfRange(let value):
      "latitude \(value) is not between -90 and 90"
    case .altitudeOutOfRange(let value):
      "altitude \(value) is not 0 or more"
    case .invalidRadius(let value):
      "radius \(value) is not 0 or more"
    case .empty:
      "it has no rings"
    case .ringNotClosed(let ring):
      "ring \(ring) does not end where it began"
    case .tooFewVertices(let ring):
      "ring \(ring) has fewer than 3 different vertices"
    case .antipodalNeighbours(let longitude, let latitude):
      "the edge from [\(longitude), \(latitude)] leads to the opposite point of the sphere"
    case .duplicateEdge(let longitude, let latitude):
      "the edge from [\(longitude), \(latitude)] is used twice"
    case .selfCrossing(let longitude, let latitude):
      "edges cross or touch at [\(longitude), \(latitude)]"
    case .holeOutsideShell(let longitude, let latitude):
      "the hole at [\(longitude), \(latitude)] is not inside the shell"
    case .nestedHoles(let longitude, let latitude):
      "the hole at [\(longitude), \(latitude)] is inside another hole"
    case .insideDisconnected(let longitude, let latitude):
      "the rings cut the inside into pieces at [\(longitude), \(latitude)]"
    case .geometryLibrary(let text):
      text
    }
  }
}
