/// The reason why a shape cannot be the region of a query.
public struct RegionError: Error, Hashable, CustomStringConvertible {
  /// A violated rule and the location of the violation, in degrees.
  ///
  /// Rings are counted from 0, the exterior ring.
  public enum Reason: Error, Hashable, Sendable {
    /// A longitude is not from -180 to 180, or is NaN.
    case longitudeOutOfRange(Double)
    /// A latitude is not from -90 to 90, or is NaN.
    case latitudeOutOfRange(Double)
    /// An altitude is negative or NaN.
    case altitudeOutOfRange(Double)
    /// A radius is negative or NaN.
    case invalidRadius(Double)
    /// The shape has no rings.
    case empty
    /// The rings have more vertices than a region can have.
    case tooManyVertices(Int, maximum: Int)
    /// The last point of a ring differs from its first.
    case ringNotClosed(ring: Int)
    /// A ring has fewer than three distinct vertices.
    case tooFewVertices(ring: Int)
    /// Two consecutive vertices are antipodes, so the shortest arc between them is not unique.
    case antipodalNeighbours(longitude: Double, latitude: Double)
    /// An edge of 360° of longitude is a whole parallel, and the other edges of its ring do not lead back
    /// around the Earth.
    case openParallel(latitude: Double)
    /// An edge occurs twice.
    case duplicateEdge(longitude: Double, latitude: Double)
    /// Edges cross, or a ring touches itself.
    case selfCrossing(longitude: Double, latitude: Double)
    /// A hole is not inside the exterior ring.
    case holeOutsideShell(longitude: Double, latitude: Double)
    /// A hole is inside another hole.
    case nestedHoles(longitude: Double, latitude: Double)
    /// Polygons of a multi-polygon overlap, or have a part of an edge in common.
    case overlappingPolygons(longitude: Double, latitude: Double)
    /// The rings divide the interior into several parts.
    case insideDisconnected(longitude: Double, latitude: Double)
    /// GEOS could not classify the shape; the message of GEOS.
    case geometryLibrary(String)
  }

  /// The text of the shape; a long text is shortened in the middle.
  public let shape: String
  /// The violated rule.
  public let reason: Reason

  /// Creates an error; `shape` is shortened to about 200 characters.
  ///
  /// - Parameters:
  ///   - shape: The text of the shape.
  ///   - reason: The violated rule.
  public init(shape: String, reason: Reason) {
    self.shape = Self.shortened(shape)
    self.reason = reason
  }

  /// One sentence: the shape, then the reason.
  public var description: String {
    "Invalid region in GEOWITHIN query for parameter '\(shape)': \(reason)"
  }

  /// Returns the first 140 and the last 50 characters of a long text.
  private static func shortened(_ text: String) -> String {
    guard text.utf8.count > 200 else { return text }
    return text.prefix(140) + " … " + text.suffix(50)
  }
}

extension RegionError.Reason: CustomStringConvertible {
  /// The reason as a clause: the location, what was found and, for a range, what was expected.
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
    case .tooManyVertices(let count, let maximum):
      "it has \(count) vertices; a region has \(maximum) at most, so simplify it"
    case .ringNotClosed(let ring):
      "ring \(ring) is not closed: its last point differs from its first"
    case .tooFewVertices(let ring):
      "ring \(ring) has fewer than 3 distinct vertices"
    case .antipodalNeighbours(let longitude, let latitude):
      "the edge from [\(longitude), \(latitude)] ends at the antipode of that point"
    case .openParallel(let latitude):
      "the edge of 360° at latitude \(latitude) is the whole parallel, and the other edges of its ring do not "
        + "lead back around the Earth"
    case .duplicateEdge(let longitude, let latitude):
      "the edge from [\(longitude), \(latitude)] occurs twice"
    case .selfCrossing(let longitude, let latitude):
      "edges cross or touch at [\(longitude), \(latitude)]"
    case .holeOutsideShell(let longitude, let latitude):
      "the hole at [\(longitude), \(latitude)] is not inside the exterior ring"
    case .nestedHoles(let longitude, let latitude):
      "the hole at [\(longitude), \(latitude)] is inside another hole"
    case .overlappingPolygons(let longitude, let latitude):
      "its polygons overlap or have an edge in common at [\(longitude), \(latitude)]"
    case .insideDisconnected(let longitude, let latitude):
      "the rings divide the interior into parts at [\(longitude), \(latitude)]"
    case .geometryLibrary(let text):
      text
    }
  }
}
