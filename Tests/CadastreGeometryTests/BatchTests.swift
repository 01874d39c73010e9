import Testing

@testable import CadastreGeometry

@Suite struct BatchTests {
  @Test func `many places at once get the answers of each by itself`() throws {
    let seed: UInt64 = 12
    var generator = SeededGenerator(seed: seed)
    var places = (0..<3_000).map { _ in generator.place() }
    places += [(.nan, 0), (0, .nan), (200, 0), (0, 100), (180, 90), (-180, -90)]
    let longitudes = places.map(\.longitude)
    let latitudes = places.map(\.latitude)
    let triangle = try polygon([(0, 0), (70, 0), (0, 70), (0, 0)])
    guard case .polygon(let part) = triangle else { return }
    for shape in [
      triangle, try circle((0, 0), 1), try circle((0, 0), 4), try box((-180, 0), (180, 30)),
      .multiPolygon([part, part]),
    ] {
      let region = try PreparedRegion(shape)
      let expected = places.indices.filter {
        region.contains(longitude: longitudes[$0], latitude: latitudes[$0])
      }.map { Int32($0) }
      var selection: [Int32] = [-7]
      var refined = places.indices.reversed().map { Int32($0) }
      longitudes.withUnsafeBufferPointer { longitudes in
        latitudes.withUnsafeBufferPointer { latitudes in
          region.select(
            longitudes: longitudes, latitudes: latitudes, firstPosition: 100, into: &selection)
          region.refine(&refined, longitudes: longitudes, latitudes: latitudes)
        }
      }
      #expect(selection == [-7] + expected.map { $0 + 100 }, "seed \(seed)")
      #expect(refined == expected.reversed(), "seed \(seed)")
    }
  }
}
