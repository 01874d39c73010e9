import CadastreGeometry
import Testing

@testable import CadastreColumnar

@Suite struct ThriftReaderTests {
  @Test func `an empty list may have any type, another one may not`() throws {
    // Some programs write 0 as the type of no elements.
    var empty = ThriftReader(ByteReader([0x00]))
    #expect(try empty.structures { _ in 0 }.isEmpty)
    var typed = ThriftReader(ByteReader([0x0C]))
    #expect(try typed.structures { _ in 0 }.isEmpty)
    var other = ThriftReader(ByteReader([0x10, 0x00]))
    #expect(throws: ColumnarError.self) { try other.list() }
    var unknown = ThriftReader(ByteReader([0x0F]))
    #expect(throws: ColumnarError.self) { try unknown.list() }
  }

  @Test func `the only line of a MultiLineString has its end`() throws {
    let line = [GeoPosition(longitude: 0, latitude: 0), GeoPosition(longitude: 1, latitude: 1)]
      .compactMap(\.self)
    for (shape, ends) in [
      (Geometry.Shape.multiLineString([line]), [2]), (.multiLineString([line, line]), [2, 4]),
      (.lineString(line), []), (.polygon([line + line.reversed() + line.prefix(1)]), []),
    ] {
      let geometry = try Geometry(shape)
      #expect(FlatGeobufGeometry(geometry, hasAltitude: false).ends == ends)
    }
  }
}
