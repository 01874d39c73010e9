import Foundation

extension Geometry {
  /// The geometry without positions that repeat the one before, and without the lines and rings that are none then.
  ///
  /// Near a pole, positions that differ in a plane may be equal in degrees. Positions at ±180° have the longitude of the side
  /// of their neighbours.
  var withoutRepetitions: Geometry {
    switch shape {
    case .point, .multiPoint: self
    case .lineString(let line): Geometry(unchecked: .lineString(line.distinctLine ?? []))
    case .polygon(let rings): Geometry(unchecked: .polygon(rings.distinctRings ?? []))
    case .multiLineString(let lines):
      Geometry(unchecked: .multiLineString(lines.compactMap(\.distinctLine)))
    case .multiPolygon(let polygons):
      Geometry(unchecked: .multiPolygon(polygons.compactMap(\.distinctRings)))
    case .collection(let parts):
      Geometry(
        unchecked: .collection(parts.map(\.withoutRepetitions).filter { !$0.isEmpty }))
    }
  }
}

extension [GeoPosition] {
  /// The positions without those that repeat the one before.
  private var distinct: [GeoPosition] {
    guard indices.dropFirst().contains(where: { self[$0].isSamePlace(as: self[$0 - 1]) }) else {
      return self
    }
    var kept: [GeoPosition] = []
    for position in self where kept.last.map({ !$0.isSamePlace(as: position) }) ?? true {
      kept.append(position)
    }
    return kept
  }

  /// The line without repetitions; nil if it has a single place.
  fileprivate var distinctLine: [GeoPosition]? {
    let kept = distinct.besideNeighbours
    return kept.count < 2 && !isEmpty ? nil : kept
  }

  /// Repeats the first position at the end, in place of another one at the same place.
  private mutating func close() {
    guard let first else { return }
    if count > 1, let last, last.isSamePlace(as: first) { removeLast() }
    append(first)
  }

  /// The ring without repetitions, and without edges that only lead to a position and back; nil if it has fewer than three
  /// places.
  fileprivate var distinctRing: [GeoPosition]? {
    var kept = distinct
    guard !isEmpty else { return self }
    kept.close()
    var index = 0
    // The last position is the first one again.
    while kept.count >= 4, index < kept.count - 1 {
      let last = kept.count - 2
      let (before, after) = (index == 0 ? last : index - 1, index + 1)
      guard kept[before].isSamePlace(as: kept[after]) else {
        index += 1
        continue
      }
      if index == 0 {
        kept.removeFirst()
        kept.removeLast()
        kept.close()
      } else {
        kept.removeSubrange(index...(index + 1))
        if index == last, let first = kept.first { kept[kept.count - 1] = first }
      }
      index = Swift.max(0, index - 2)
    }
    return kept.count < 4 ? nil : kept.besideNeighbours
  }

  /// The positions; one at ±180° has the sign that is nearer to the longitude before it.
  private var besideNeighbours: [GeoPosition] {
    guard contains(where: \.isAtAntimeridian),
      var longitude = first(where: { !$0.isAtAntimeridian })?.longitude
    else { return self }
    var positions = self
    for index in indices {
      let position = self[index]
      if position.isAtAntimeridian, abs(position.longitude - longitude) > 180,
        let other = GeoPosition(
          longitude: -position.longitude, latitude: position.latitude, altitude: position.altitude)
      {
        positions[index] = other
      }
      longitude = positions[index].longitude
    }
    if let first, first == last { positions[count - 1] = positions[0] }
    return positions
  }
}

extension [[GeoPosition]] {
  /// The rings of a polygon without repetitions; nil if the outer ring is none.
  fileprivate var distinctRings: [[GeoPosition]]? {
    guard let outer = first else { return self }
    return outer.distinctRing.map { [$0] + dropFirst().compactMap(\.distinctRing) }
  }
}

extension GeoPosition {
  /// Whether the position is at ±180° and no pole.
  fileprivate var isAtAntimeridian: Bool { abs(longitude) == 180 && abs(latitude) < 90 }

  /// Returns whether two positions are one on the sphere, apart from altitudes and the rounding of unit vectors.
  func isSamePlace(as other: GeoPosition) -> Bool {
    if longitude == other.longitude, latitude == other.latitude { return true }
    let limit = 1e-13
    guard abs(latitude - other.latitude) <= limit else { return false }
    let turn = abs((longitude - other.longitude).remainder(dividingBy: 360))
    return turn * cos(latitude * radiansPerDegree) <= limit
  }
}
