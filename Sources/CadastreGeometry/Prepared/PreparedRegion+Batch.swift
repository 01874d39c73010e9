extension PreparedRegion {
  /// Appends the positions of the places that are in the region, in ascending order.
  ///
  /// - Parameters:
  ///   - longitudes: Degrees, one a place.
  ///   - latitudes: Degrees, as many as longitudes.
  ///   - firstPosition: What the first place's position is called.
  ///   - selection: Where the positions go; what it holds is kept.
  package func select(
    longitudes: UnsafeBufferPointer<Double>, latitudes: UnsafeBufferPointer<Double>,
    firstPosition: Int32 = 0, into selection: inout [Int32]
  ) {
    precondition(longitudes.count == latitudes.count, "as many latitudes as longitudes")
    // The form of the region is looked at once, not for each place.
    switch body {
    case .circle(let circle):
      Self.append(longitudes, latitudes, firstPosition, &selection) {
        CoordinateRange.contains(longitude: $0, latitude: $1)
          && circle.contains(longitude: $0, latitude: $1)
      }
    case .polygon(let polygon):
      Self.append(longitudes, latitudes, firstPosition, &selection) {
        polygon.contains(longitude: $0, latitude: $1)
      }
    case .everything, .band, .polygons:
      Self.append(longitudes, latitudes, firstPosition, &selection) {
        contains(longitude: $0, latitude: $1)
      }
    }
  }

  @inline(__always)
  private static func append(
    _ longitudes: UnsafeBufferPointer<Double>, _ latitudes: UnsafeBufferPointer<Double>,
    _ firstPosition: Int32, _ selection: inout [Int32], where isInside: (Double, Double) -> Bool
  ) {
    for index in longitudes.indices where isInside(longitudes[index], latitudes[index]) {
      selection.append(firstPosition + Int32(index))
    }
  }

  /// Keeps of a selection only the positions of places that are in the region.
  ///
  /// - Parameters:
  ///   - selection: Positions counted from 0 in the two columns; its order is kept.
  ///   - longitudes: Degrees, one a place.
  ///   - latitudes: Degrees, as many as longitudes.
  package func refine(
    _ selection: inout [Int32], longitudes: UnsafeBufferPointer<Double>,
    latitudes: UnsafeBufferPointer<Double>
  ) {
    precondition(longitudes.count == latitudes.count, "as many latitudes as longitudes")
    selection.removeAll { position in
      !contains(longitude: longitudes[Int(position)], latitude: latitudes[Int(position)])
    }
  }
}
