/// A coordinate of a point that a path names: `location.latitude`.
///
/// It stands for an element of the point's `coordinates`, unless the class has a property with this
/// name.
package enum PointMember: String, CaseIterable, Sendable {
  case longitude, latitude, altitude

  /// The index in the coordinates.
  package var index: Int {
    switch self {
    case .longitude: 0
    case .latitude: 1
    case .altitude: 2
    }
  }
}
