import Testing

@testable import CadastreModel

@Suite struct PropertyPathTests {
  @Test func `names are separated by dots`() {
    #expect(PropertyPath("a.b.c").names == ["a", "b", "c"])
    #expect(PropertyPath("a").names == ["a"])
    #expect(PropertyPath("").names == [""])
    #expect(PropertyPath("a..b.").names == ["a", "", "b", ""])
    #expect(PropertyPath("a.b").description == "a.b")
  }

  @Test func `equality ignores source locations`() {
    let read = PropertyPath(["a", "b"], span: TextSpan(offset: 3, count: 3))

    #expect(read == PropertyPath("a.b"))
    #expect(Set([read, PropertyPath("a.b")]).count == 1)
    #expect(read != PropertyPath("a"))
    #expect(PropertyPath("a").appending("b") == read)
  }

  @Test func `a location needs the type of a point and two coordinates in range`() {
    #expect(PointShape.location(type: "pOiNt", coordinates: [180, -90, 7, 8])?.latitude == -90)
    #expect(PointShape.location(type: "Point", coordinates: [0]) == nil)
    #expect(PointShape.location(type: "Points", coordinates: [0, 0]) == nil)
    #expect(PointShape.location(type: "P\u{2F}int", coordinates: [0, 0]) == nil)
    #expect(PointShape.location(type: "Point", coordinates: [180.1, 0]) == nil)
    #expect(PointShape.location(type: "Point", coordinates: [.nan, 0]) == nil)
  }

  @Test func `a type that differs by more than letter case is no point`() {
    // Bytes that differ from a letter only in the bit of the case, for example 0x10 from `P`.
    for index in 0..<5 {
      var bytes = Array("Point".utf8)
      bytes[index] &= 0x1F
      #expect(
        PointShape.location(type: String(decoding: bytes, as: UTF8.self), coordinates: [0, 0])
          == nil)
    }
  }
}
