import Cadastre
import Foundation
import Testing

/// A polygon of very many vertices is stored, found and measured in bounded time and memory.
///
/// `CADASTRE_POSITIONS=10000000` runs it with ten million vertices.
@Suite struct LargeGeometryTests {
  final class Cap: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var border: Geometry

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private static let count =
    ProcessInfo.processInfo.environment["CADASTRE_POSITIONS"].flatMap { Int($0) } ?? 200_000

  /// The well-known binary of the polygon along the parallel of 60°, without the code under test.
  private static func bytes() -> [UInt8] {
    var bytes: [UInt8] = [1, 3, 0, 0, 0, 1, 0, 0, 0]
    withUnsafeBytes(of: UInt32(count + 1).littleEndian) { bytes += $0 }
    bytes.reserveCapacity(bytes.count + 16 * (count + 1))
    for number in 0...count {
      let longitude = -180 + 360 * Double(number % count) / Double(count)
      withUnsafeBytes(of: longitude.bitPattern.littleEndian) { bytes += $0 }
      withUnsafeBytes(of: (60.0).bitPattern.littleEndian) { bytes += $0 }
    }
    return bytes
  }

  @Test func `a polygon around a pole`() throws {
    let border = try Geometry(wkb: Self.bytes())
    #expect(border.positionCount == Self.count + 1)
    // The area of a cap is 2πr²(1 - sin 60°), the length of its parallel 2πr cos 60°.
    let radius = 6_378_100.0
    let area = 2 * Double.pi * radius * radius * (1 - sin(Double.pi / 3))
    #expect(abs(border.area / area - 1) < 1e-8)
    #expect(abs(border.perimeter / (Double.pi * radius) - 1) < 1e-8)

    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Cap.self]))
    try realm.write { realm.add(Cap(value: ["id": 1, "border": border])) }
    let caps = realm.objects(Cap.self)
    #expect(caps.first?.border == border)
    let inside = try Geometry(wkt: "POINT (17 60.001)")
    let outside = try Geometry(wkt: "POINT (17 59.999)")
    #expect(caps.where { $0.border.geoContains(inside) }.count == 1)
    #expect(caps.where { $0.border.geoIntersects(outside) }.count == 0)
    #expect(caps.where { $0.border.area > 1e12 }.count == 1)
  }
}
