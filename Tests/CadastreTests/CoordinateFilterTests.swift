import Cadastre
import CadastreTestSupport
import Foundation
import Testing

/// Coordinates of points as fields, compared with the coordinates that the objects have.
@Suite struct CoordinateFilterTests {
  class Spot: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Place: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var location: Spot?
    @Persisted var next: Place?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// Random coordinates: valid points mostly, also of three numbers, and lists that are no points.
  private static func coordinates(_ generator: inout SeededGenerator) -> [Double]? {
    func number(_ limit: Double) -> Double {
      (Double.random(in: -limit...limit, using: &generator) * 2).rounded() / 2
    }
    switch Int.random(in: 0..<20, using: &generator) {
    case 0: return nil
    case 1: return []
    case 2: return [number(180)]
    case 3: return [number(400), number(200)]
    case 4: return [.nan, number(90)]
    case 5: return [number(180), .infinity]
    case 6: return [number(180), number(90), number(9), number(9)]
    case 7...9: return [number(180), number(90), number(9)]
    default: return [number(180), number(90)]
    }
  }

  @Test(arguments: [7, 40] as [UInt64])
  func `comparisons of coordinates hold for the objects whose coordinate fits`(seed: UInt64) throws
  {
    var generator = SeededGenerator(seed: seed)
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: "coordinates-\(seed)", objectTypes: [Place.self, Spot.self]))
    let all = (0..<3_000).map { _ in Self.coordinates(&generator) }
    try realm.write {
      var last: Place?
      for (id, coordinates) in all.enumerated() {
        let place = Place()
        place.id = id
        if let coordinates {
          let spot = Spot()
          if id % 97 == 3 { spot.type = "Line" }
          spot.coordinates.append(objectsIn: coordinates)
          place.location = spot
        }
        place.next = id % 5 == 0 ? nil : last
        realm.add(place)
        last = place
      }
    }
    let comparisons: [(String, (Double, Double, Double) -> Bool)] = [
      ("<", { x, a, _ in x < a }), ("<=", { x, a, _ in x <= a }), (">", { x, a, _ in x > a }),
      (">=", { x, a, _ in x >= a }), ("==", { x, a, _ in x == a }),
      ("BETWEEN", { x, a, b in x >= a && x <= b }), ("IN", { x, a, b in x == a || x == b }),
    ]
    for (index, name) in ["longitude", "latitude", "altitude"].enumerated() {
      for (operation, holds) in comparisons {
        for _ in 0..<3 {
          let limits = [181.0, 91, 10]
          let numbers = (0..<2).map { _ in
            (Double.random(in: -limits[index]...limits[index], using: &generator) * 2).rounded() / 2
          }.sorted()
          let right =
            ["BETWEEN", "IN"].contains(operation)
            ? "{\(numbers[0]), \(numbers[1])}" : "\(numbers[0])"
          func fits(_ id: Int?) -> Bool {
            guard let id, let coordinates = all[id], coordinates.indices.contains(index) else {
              return false
            }
            return holds(coordinates[index], numbers[0], numbers[1])
          }
          func found(_ text: String) throws -> [Int] {
            Array(try realm.objects(Place.self).filter(parsing: text).map(\.id))
          }
          let text = "location.\(name) \(operation) \(right)"
          #expect(try found(text) == all.indices.filter(fits), "\(text), seed \(seed)")
          #expect(
            try found("NOT \(text)") == all.indices.filter { !fits($0) }, "\(text), seed \(seed)")
          #expect(
            try found("next.\(text)")
              == all.indices.filter { fits($0 % 5 == 0 ? nil : $0 - 1) },
            "next.\(text), seed \(seed)")
        }
      }
    }
  }
}
