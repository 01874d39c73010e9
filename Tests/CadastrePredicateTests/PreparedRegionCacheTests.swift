import CadastreGeometry
import CadastreModel
import CadastrePredicate
import Foundation
import Testing

/// A region is prepared once for all queries that use it.
@Suite struct PreparedRegionCacheTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Spot",
      properties: [
        Property(name: "place", type: .object, isOptional: true, objectClassName: "Point")
      ]),
    ObjectSchema(
      className: "Point",
      properties: [
        Property(name: "type", type: .string),
        Property(name: "coordinates", type: .double, collection: .list),
      ], isEmbedded: true),
  ])

  private func region(_ text: String) throws -> PreparedRegion {
    let predicate = try QueryPredicate(parsing: "place GEOWITHIN\(text)")
    let root = try #require(Self.schema["Spot"])
    guard case .geoWithin(let within) = try predicate.bound(to: Self.schema, root: root) else {
      throw CancellationError()
    }
    return within.shape.prepared
  }

  @Test func `an equal region is the same one`() throws {
    let first = try region(" geoCircle([8.25, 47.5], 0.01)")
    #expect(try region(" geoCircle([8.25, 47.5], 0.01)") === first)
    #expect(try region(" geoCircle([8.25, 47.5], 0.02)") !== first)
    let box = try region(" geoBox([1.5, 2.5], [3.5, 4.5])")
    #expect(try region("[planar] geoBox([1.5, 2.5], [3.5, 4.5])") !== box)
    #expect(try region("[planar] geoBox([1.5, 2.5], [3.5, 4.5])").edges == .planar)
  }

  @Test func `more regions than are kept are right`() throws {
    for round in 0..<2 {
      for number in 0..<200 {
        let latitude = Double(number) / 10
        let found = try region(" geoCircle([20.0, \(latitude)], 0.001)")
        #expect(found.contains(longitude: 20, latitude: latitude), "round \(round)")
        #expect(!found.contains(longitude: 20, latitude: latitude + 1))
      }
    }
  }
}
