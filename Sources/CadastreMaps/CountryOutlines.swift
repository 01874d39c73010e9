package import Foundation

/// Country borders, drawn as the background of a map.
///
///     let outlines = try CountryOutlines(geoJSON: Data(contentsOf: url))
package struct CountryOutlines: Sendable {
  /// A country: its name, which may be empty, and its rings, holes included.
  struct Country: Sendable {
    var name: String
    var rings: [MapRing]
  }

  /// The countries.
  let countries: [Country]

  /// No countries: the map shows only graticule and points.
  package static let none = CountryOutlines(countries: [])

  private init(countries: [Country]) {
    self.countries = countries
  }

  /// Reads the polygons of a GeoJSON FeatureCollection and their property `name`; other geometries
  /// are ignored.
  ///
  /// Source: RFC 7946.
  ///
  /// - Parameter data: The text of the collection.
  /// - Throws: ``CountryOutlinesError`` if the text is not a FeatureCollection.
  /// - Complexity: O(n) in the size of the text.
  package init(geoJSON data: Data) throws(CountryOutlinesError) {
    do {
      let collection = try JSONDecoder().decode(OutlineCollection.self, from: data)
      countries = collection.features.map { feature in
        Country(
          name: feature.properties?.name ?? "",
          rings: (feature.geometry?.polygons ?? []).joined().compactMap { ring in
            MapRing(ring.compactMap(Self.point))
          })
      }
    } catch {
      throw CountryOutlinesError(reason: error.localizedDescription)
    }
  }

  private static func point(_ position: [Double]) -> MapPoint? {
    position.count >= 2 ? MapPoint(longitude: position[0], latitude: position[1]) : nil
  }

  /// The rings of all countries.
  var rings: some Sequence<MapRing> { countries.lazy.flatMap(\.rings) }
}

/// The reason why a text could not be read as country outlines.
package struct CountryOutlinesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The message of the JSON decoder.
  package var reason: String

  /// One sentence: what was expected, and what was wrong.
  package var description: String {
    "country outlines: expected a GeoJSON FeatureCollection of polygons; \(reason)"
  }
}

/// The members of a GeoJSON FeatureCollection that are read.
private struct OutlineCollection: Decodable {
  struct Feature: Decodable {
    var geometry: Polygons?
    var properties: Properties?
  }

  struct Properties: Decodable {
    var name: String?
  }

  /// The polygons of a Polygon or MultiPolygon; none for other types.
  struct Polygons: Decodable {
    var polygons: [[[[Double]]]]

    private enum CodingKeys: CodingKey {
      case type, coordinates
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      switch try values.decode(String.self, forKey: .type) {
      case "Polygon":
        polygons = [try values.decode([[[Double]]].self, forKey: .coordinates)]
      case "MultiPolygon":
        polygons = try values.decode([[[[Double]]]].self, forKey: .coordinates)
      default:
        polygons = []
      }
    }
  }

  var features: [Feature]
}
