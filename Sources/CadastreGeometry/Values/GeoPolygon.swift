/// The region inside a closed ring, without the insides of its holes.
///
/// The direction of a ring does not matter: on the sphere a ring means its smaller side.
/// All borders, those of holes too, belong to the region.
public struct GeoPolygon: Hashable, Sendable {
  /// The shell: at least four points, the last equal to the first.
  public let outerRing: [GeoPoint]
  /// The holes, each closed like the shell.
  public let holes: [[GeoPoint]]

  /// Makes a polygon from a shell and a list of holes.
  ///
  /// Only the form of the rings is checked here; whether they cross is checked when a query is
  /// built.
  ///
  /// - Returns: nil if a ring has fewer than four points or does not end where it began,
  ///   altitude included.
  public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]?) {
    let holes = holes ?? []
    guard Self.isRing(outerRing), holes.allSatisfy(Self.isRing) else { return nil }
    self.outerRing = outerRing
    self.holes = holes
  }

  /// Makes a polygon from a shell and any number of holes.
  ///
  /// - Returns: nil if a ring has fewer than four points or does not end where it began.
  public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
    self.init(outerRing: outerRing, holes: holes)
  }

  /// Makes a polygon from pairs that give the **latitude first**, as in Realm.
  ///
  /// - Returns: nil if a pair is out of range, or a ring too short or open.
  public init?(
    outerRing: [(latitude: Double, longitude: Double)],
    holes: [[(latitude: Double, longitude: Double)]] = []
  ) {
    guard let outerRing = Self.points(outerRing) else { return nil }
    var holeRings: [[GeoPoint]] = []
    for hole in holes {
      guard let points = Self.points(hole) else { return nil }
      holeRings.append(points)
    }
    self.init(outerRing: outerRing, holes: holeRings)
  }

  /// Makes a polygon from pairs that give the **latitude first**, as in Realm, and several holes.
  ///
  /// - Returns: nil if a pair is out of range, or a ring too short or open.
  public init?(
    outerRing: [(latitude: Double, longitude: Double)],
    holes: [(latitude: Double, longitude: Double)]...
  ) {
    self.init(outerRing: outerRing, holes: holes)
  }

  /// The shell, then the holes.
  package var rings: [[GeoPoint]] {
    [outerRing] + holes
  }

  private static func isRing(_ points: [GeoPoint]) -> Bool {
    points.count >= 4 && points.first == points.last
  }

  private static func points(
    _ pairs: [(latitude: Double, longitude: Double)]
  ) -> [GeoPoint]? {
    var points: [GeoPoint] = []
    points.reserveCapacity(pairs.count)
    for pair in pairs {
      guard let point = GeoPoint(latitude: pair.latitude, longitude: pair.longitude)
      else { return nil }
      points.append(point)
    }
    return points
  }
}

extension GeoPolygon: CustomStringConvertible {
  /// The polygon in the predicate language: a braced list of points for the shell and each hole.
  public var description: String {
    let rings = rings.map { ring in
      "{" + ring.map(\.description).joined(separator: ", ") + "}"
    }
    return "geoPolygon(" + rings.joined(separator: ", ") + ")"
  }
}
