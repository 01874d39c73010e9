package import CadastreModel
import Foundation

/// The columns of an embedded GeoJSON point.
package struct PointColumns: Hashable, Sendable {
  /// The column of the longitude in degrees; null where the coordinates are invalid.
  package let longitude: Int
  /// The column of the latitude in degrees; null where the coordinates are invalid.
  package let latitude: Int
  /// The column of the third coordinate; null where there is none.
  package let altitude: Int
  /// The column of the type and coordinates as JSON; null where the other columns represent them exactly.
  package let odd: Int

  /// All columns: longitude, latitude, altitude and odd.
  package var all: [Int] { [longitude, latitude, altitude, odd] }

  /// Creates the columns from their indexes.
  package init(longitude: Int, latitude: Int, altitude: Int, odd: Int) {
    self.longitude = longitude
    self.latitude = latitude
    self.altitude = altitude
    self.odd = odd
  }
}

extension PointColumns {
  /// The `type` and `coordinates` of a point, as the application reads and sets them.
  package struct Content: Hashable, Sendable, Codable {
    /// The name of the GeoJSON type.
    package var type: String
    /// The longitude, the latitude and further coordinates.
    package var coordinates: [Double]

    /// Creates the members of a point.
    package init(type: String, coordinates: [Double]) {
      self.type = type
      self.coordinates = coordinates
    }

    /// Whether the columns of longitude, latitude and altitude represent an object with a location exactly.
    fileprivate var isRegular: Bool {
      type == PointShape.typeName && coordinates.count <= 3
        && !coordinates.contains { $0.isNaN || $0.isNegativeZero }
    }
  }

  /// Writes the members of a point into a row.
  package func write(_ content: Content, to row: inout [Value]) {
    let location = PointShape.location(type: content.type, coordinates: content.coordinates)
    // Adding zero replaces -0.0 by 0.0.
    row[longitude] = location.map { .double($0.longitude + 0) } ?? .null
    row[latitude] = location.map { .double($0.latitude + 0) } ?? .null
    let regular = location != nil && content.isRegular
    row[altitude] =
      regular && content.coordinates.count == 3 ? .double(content.coordinates[2]) : .null
    row[odd] = regular ? .null : .string(Self.text(content))
  }

  /// Returns the members of a point in a row.
  package func content(_ row: [Value]) -> Content {
    if case .string(let text) = row[odd] {
      return Self.content(text) ?? Content(type: "", coordinates: [])
    }
    var coordinates: [Double] = []
    coordinates.reserveCapacity(3)
    if let value = row[longitude].doubleValue { coordinates.append(value) }
    if let value = row[latitude].doubleValue { coordinates.append(value) }
    if let value = row[altitude].doubleValue { coordinates.append(value) }
    return Content(type: PointShape.typeName, coordinates: coordinates)
  }

  /// Returns the members of a point in a row of a batch, whose slots these columns are.
  package func content(_ batch: borrowing ColumnBatch, _ row: Int) -> Content {
    let columns = PointColumns(longitude: 0, latitude: 1, altitude: 2, odd: 3)
    return columns.content([
      batch.columns[longitude].value(row), batch.columns[latitude].value(row),
      batch.columns[altitude].value(row), batch.columns[odd].value(row),
    ])
  }

  /// Returns JSON in which infinities and NaN are strings.
  private static func text(_ content: Content) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "nan")
    let data = (try? encoder.encode(content)) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }

  static func content(_ text: String) -> Content? {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "nan")
    return try? decoder.decode(Content.self, from: Data(text.utf8))
  }
}
