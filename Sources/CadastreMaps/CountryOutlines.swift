import Foundation

/// The outlines of countries, as the base of a map.
package struct CountryOutlines: Sendable {
  /// One list of rings a country, holes included.
  let countries: [[MapRing]]

  /// No countries: the map shows graticule and points only.
  package static let none = CountryOutlines(countries: [])

  private init(countries: [[MapRing]]) {
    self.countries = countries
  }

  /// Reads a GeoJSON FeatureCollection of polygons; other shapes are left out.
  ///
  /// Source: RFC 7946.
  package init(path: String) throws(DatasetError) {
    let file = try FileBytes(path: path)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    var data = Data()
    while true {
      let space = bytes.count
      let result = bytes.withUnsafeMutableBytes { buffer -> Result<Int, DatasetError> in
        do throws(DatasetError) {
          return .success(try file.read(into: .init(rebasing: buffer[..<space])))
        } catch {
          return .failure(error)
        }
      }
      let count = try result.get()
      if count == 0 { break }
      data.append(contentsOf: bytes[..<count])
    }
    do {
      let collection = try JSONDecoder().decode(FeatureCollection.self, from: data)
      countries = collection.features.map { feature in
        (feature.geometry?.polygons ?? []).joined().compactMap { ring in
          MapRing(ring.compactMap(Self.point))
        }
      }
    } catch {
      throw DatasetError(
        path: path, problem: .foreignContent(found: "something other than country outlines"))
    }
  }

  private static func point(_ position: [Double]) -> MapPoint? {
    position.count >= 2 ? MapPoint(longitude: position[0], latitude: position[1]) : nil
  }
}

private struct FeatureCollection: Decodable {
  var features: [Feature]
}

private struct Feature: Decodable {
  var geometry: Geometry?
}

private struct Geometry: Decodable {
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
