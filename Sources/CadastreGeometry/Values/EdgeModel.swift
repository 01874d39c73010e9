/// What the edge between two corners of a region is.
public enum EdgeModel: String, Sendable, Hashable, CaseIterable {
  /// The shorter great-circle arc, as in Realm, MongoDB and S2.
  ///
  /// ±180° and the poles are nothing special, and a ring means its smaller side.
  case spherical
  /// The straight line in longitude and latitude, as RFC 7946 section 3.1.1 and GEOS have it.
  ///
  /// Nothing wraps at ±180°: an edge from 170 to -170 goes the long way round.
  case planar
}
