package import CadastreModel
import Foundation

extension PointColumns {
  /// The `type` and `coordinates` of a point as an application sees them.
  package struct Content: Hashable, Sendable, Codable {
    /// The name of the GeoJSON type.
    package var type: String
    /// Longitude, latitude and what else there is.
    package var coordinates: [Double]

    /// A point's members.
    package init(type: String, coordinates: [Double]) {
      self.type = type
      self.coordinates = coordinates
    }

    /// Whether the columns of longitude, latitude and altitude say everything.
    fileprivate var isRegular: Bool {
      type == PointShape.typeName && (2...3).contains(coordinates.count)
        && PointShape.location(type: type, coordinates: coordinates) != nil
        && !coordinates.contains { $0.isNaN || $0.isNegativeZero }
    }
  }

  /// Writes a point's members into a row.
  package func write(_ content: Content, to row: inout [Value]) {
    let place = PointShape.location(type: content.type, coordinates: content.coordinates)
    // Adding zero drops the sign of -0.0, which is the same place.
    row[longitude] = place.map { .double($0.longitude + 0) } ?? .null
    row[latitude] = place.map { .double($0.latitude + 0) } ?? .null
    let regular = content.isRegular
    row[altitude] =
      regular && content.coordinates.count == 3 ? .double(content.coordinates[2]) : .null
    row[odd] = regular ? .null : .string(Self.text(content))
  }

  /// The point's members from a row.
  package func content(_ row: [Value]) -> Content {
    if case .string(let text) = row[odd] {
      return Self.content(text) ?? Content(type: "", coordinates: [])
    }
    let coordinates = [longitude, latitude, altitude].compactMap { row[$0].doubleValue }
    return Content(type: PointShape.typeName, coordinates: coordinates)
  }

  /// JSON, with the numbers that JSON lacks as words.
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
