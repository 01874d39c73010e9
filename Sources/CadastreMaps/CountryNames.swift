/// The places of the names of countries: inside their areas on the map, where there is room.
struct CountryNames {
  /// A country in pixels.
  private struct Area {
    let rings: [[SIMD2<Double>]]

    /// Returns whether a position is inside, by the even-odd rule.
    func contains(_ position: SIMD2<Double>) -> Bool {
      var isInside = false
      for ring in rings {
        var previous = ring[ring.count - 1]
        for corner in ring {
          if (corner.y > position.y) != (previous.y > position.y),
            position.x
              < (previous.x - corner.x) * (position.y - corner.y) / (previous.y - corner.y)
              + corner.x
          {
            isInside.toggle()
          }
          previous = corner
        }
      }
      return isInside
    }

    /// The number of corners.
    var count: Int { rings.reduce(0) { $0 + $1.count } }

    /// Returns the square of the distance to the nearest edge.
    func distanceSquared(_ position: SIMD2<Double>) -> Double {
      var nearest = Double.infinity
      for ring in rings {
        var previous = ring[ring.count - 1]
        for corner in ring {
          let edge = corner - previous
          let length = (edge * edge).sum()
          let along = length > 0 ? ((position - previous) * edge).sum() / length : 0
          let difference = position - previous - edge * min(max(along, 0), 1)
          nearest = min(nearest, (difference * difference).sum())
          previous = corner
        }
      }
      return nearest
    }
  }

  /// The candidates for the place of a name along each axis.
  private static let candidates = 14
  /// The corners of an area that are used; of larger ones every n-th.
  private static let mostCorners = 1_500
  /// The height of a name and the mean width of a character, in pixels.
  static let (height, characterWidth) = (13.0, 7.4)
  /// The least distance of a name from the border of the map, in pixels.
  private static let margin = 4.0

  /// Returns the middle of the place of a country's name; nil if the name has no room.
  ///
  /// The place is that of some candidates with the greatest distance from the border. The name must
  /// be inside the country at both ends.
  ///
  /// - Parameters:
  ///   - country: The country.
  ///   - frame: The extent of the map.
  /// - Returns: The middle, in pixels.
  /// - Complexity: O(n) in the number of corners.
  static func place(_ country: CountryOutlines.Country, _ frame: MapFrame) -> SIMD2<Double>? {
    let half = SIMD2(Double(country.name.count) * characterWidth / 2, height / 2)
    let inset = half + margin
    let area = Area(
      rings: country.rings.flatMap { ring in
        frame.shifts(of: ring).map { shift in
          let step = max(1, ring.corners.count / mostCorners)
          return ring.corners.indices.filter { $0 % step == 0 }.map { index in
            SIMD2(
              frame.x(ring.corners[index].longitude + shift), frame.y(ring.corners[index].latitude))
          }
        }
      })
    guard area.count > 2 else { return nil }
    let corners = area.rings.joined()
    let west = max(corners.map(\.x).min() ?? 0, 0) + inset.x
    let east = min(corners.map(\.x).max() ?? 0, frame.width) - inset.x
    let north = max(corners.map(\.y).min() ?? 0, 0) + inset.y
    let south = min(corners.map(\.y).max() ?? 0, frame.height) - inset.y
    guard west <= east, north <= south else { return nil }
    var best: (place: SIMD2<Double>, distance: Double)?
    for column in 0..<candidates {
      for row in 0..<candidates {
        let fraction = SIMD2(Double(column), Double(row)) / Double(candidates - 1)
        let place = SIMD2(west, north) + SIMD2(east - west, south - north) * fraction
        guard area.contains(place), area.contains(place - SIMD2(half.x, 0)),
          area.contains(place + SIMD2(half.x, 0))
        else { continue }
        let border = min(place.x, frame.width - place.x, place.y, frame.height - place.y)
        let distance = min(area.distanceSquared(place), border * border)
        if distance > best?.distance ?? 0 { best = (place, distance) }
      }
    }
    guard let best, best.distance >= half.y * half.y else { return nil }
    return best.place
  }
}

extension MapSVG {
  /// Returns the names of countries where there is room between the names of objects.
  ///
  /// - Parameters:
  ///   - frame: The extent of the map.
  ///   - layout: The layout with the names of objects.
  /// - Returns: SVG; empty if no name has room.
  func countryNames(_ frame: MapFrame, _ layout: inout LabelLayout) -> String {
    guard showsCountryNames else { return "" }
    var texts = ""
    for country in outlines.countries where !country.name.isEmpty {
      guard let place = CountryNames.place(country, frame),
        layout.take(
          middle: place,
          width: Double(country.name.count) * CountryNames.characterWidth,
          height: CountryNames.height)
      else { continue }
      texts += """
        <text x="\(number(place.x))" y="\(number(place.y))" dy="4" text-anchor="middle">\
        \(escaped(country.name))</text>

        """
    }
    guard !texts.isEmpty else { return "" }
    return """
      <defs><g id="countries" font-size="12" letter-spacing=".8">
      \(texts)</g></defs>
      <use xlink:href="#countries" fill="#ffffff" stroke="#f8f5ee" stroke-width="2.5" \
      stroke-opacity=".7" stroke-linejoin="round"/>
      <use xlink:href="#countries" fill="#7b7566"/>

      """
  }
}
