extension Envelope {
  /// An angle that is not larger than that from a place to any place of the rectangle, in radians.
  ///
  /// It is the smallest such angle but for a margin of 1e-12, about six micrometres.
  ///
  /// A place between the western and the eastern side is nearest due north or south. From any other
  /// the angle grows with the difference of longitudes, so the nearer side decides, and on that the
  /// foot of the perpendicular or an end.
  package func minimumAngle(fromLongitude longitude: Double, latitude: Double) -> Double {
    if longitude >= minLongitude, longitude <= maxLongitude {
      let degrees = max(0, minLatitude - latitude, latitude - maxLatitude)
      return max(0, degrees * radiansPerDegree - Self.margin)
    }
    let west = longitudeDifference(from: longitude, to: minLongitude)
    let east = longitudeDifference(from: longitude, to: maxLongitude)
    let side = abs(west) < abs(east) ? minLongitude : maxLongitude
    let angle = { (sideLatitude: Double) in
      greatCircleAngle(
        fromLongitude: longitude, latitude: latitude, toLongitude: side, latitude: sideLatitude)
    }
    let difference = min(abs(west), abs(east)) * radiansPerDegree
    var nearest = min(angle(minLatitude), angle(maxLatitude))
    let towardsSide = cosine(latitude: latitude) * cosine(difference)
    if towardsSide > 0 {
      let foot = arcTangent(y: sine(latitude: latitude), x: towardsSide) / radiansPerDegree
      if foot > minLatitude, foot < maxLatitude { nearest = min(nearest, angle(foot)) }
    }
    return max(0, nearest - Self.margin)
  }

  /// More than the rounding of the angles.
  private static let margin = 1e-12
}
