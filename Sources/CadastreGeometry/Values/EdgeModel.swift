/// The geometry of the edge between two vertices of a region.
public enum EdgeModel: String, Sendable, Hashable, CaseIterable {
  /// The shorter great-circle arc, as in Realm, MongoDB and S2.
  ///
  /// An edge may cross ±180°, a region may contain a pole, and the interior of a ring is its
  /// smaller side. An edge between two points of one latitude that differ by 360° of longitude is the
  /// whole parallel; its ring encloses what it encloses between -180 and 180.
  case spherical
  /// The straight line in longitude and latitude, as in RFC 7946 section 3.1.1 and GEOS.
  ///
  /// Longitudes do not wrap at ±180°: an edge from 170 to -170 passes through longitude 0. A box crosses
  /// ±180° if its first longitude is more than 180° east of the second.
  case planar
}
