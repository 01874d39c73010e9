import Foundation
import Testing

@testable import CadastreGeometry

/// Prepared regions against S2, on pairs made by `Oracle/make_pairs.py`.
///
/// `CADASTRE_ORACLE_PAIRS` names another file of the same form, for longer runs.
@Suite struct OracleTests {
  private var path: String {
    ProcessInfo.processInfo.environment["CADASTRE_ORACLE_PAIRS"]
      ?? URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Oracle/pairs.txt").path()
  }

  /// The shape of one line of the file.
  private func shape(_ line: Substring) throws -> GeoShape {
    let words = line.split(separator: " ")
    let numbers = words.dropFirst().compactMap { Double($0) }
    switch words.first {
    case "circle": return try circle((numbers[0], numbers[1]), numbers[2])
    case "box": return try box((numbers[0], numbers[1]), (numbers[2], numbers[3]))
    default:
      var rings: [[GeoPoint]] = []
      var next = 0
      while next < numbers.count {
        let count = Int(numbers[next])
        var points = try (0..<count).map {
          try point(numbers[next + 1 + 2 * $0], numbers[next + 2 + 2 * $0])
        }
        points.append(points[0])
        rings.append(points)
        next += 1 + 2 * count
      }
      return .polygon(
        try #require(GeoPolygon(outerRing: rings[0], holes: Array(rings.dropFirst()))))
    }
  }

  @Test func `regions agree with S2 about every point away from a border`() throws {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    var pairs = 0
    var differences: [String] = []
    var refused: [String] = []
    for index in stride(from: 1, to: lines.count - 2, by: 3) {
      let shape = try shape(lines[index])
      let region: PreparedRegion
      do {
        region = try PreparedRegion(shape)
      } catch {
        refused.append("\(error.reason): \(lines[index].prefix(200))")
        continue
      }
      let envelopes = region.envelopes
      let numbers = lines[index + 1].split(separator: " ").compactMap { Double($0) }
      for (position, answer) in lines[index + 2].utf8.enumerated() {
        let (longitude, latitude) = (numbers[2 * position], numbers[2 * position + 1])
        pairs += 1
        let isInside = region.contains(longitude: longitude, latitude: latitude)
        let isCovered =
          !isInside
          || envelopes.contains { $0.contains(longitude: longitude, latitude: latitude) }
        if isInside != (answer == UInt8(ascii: "1")) || !isCovered {
          differences.append("\(longitude) \(latitude) \(isInside) \(lines[index].prefix(200))")
        }
      }
    }
    print(lines[0], "\(pairs) pairs, \(differences.count) differences, \(refused.count) refused")
    #expect(pairs >= 4_000)
    #expect(differences.isEmpty, "\(differences.prefix(10))")
    #expect(refused.isEmpty, "\(refused.joined(separator: "\n"))")
  }
}
