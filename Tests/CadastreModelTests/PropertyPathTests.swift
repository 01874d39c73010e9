import Testing

@testable import CadastreModel

@Suite struct PropertyPathTests {
  @Test func `dots part the names`() {
    #expect(PropertyPath("a.b.c").names == ["a", "b", "c"])
    #expect(PropertyPath("a").names == ["a"])
    #expect(PropertyPath("").names == [""])
    #expect(PropertyPath("a..b.").names == ["a", "", "b", ""])
    #expect(PropertyPath("a.b").description == "a.b")
  }

  @Test func `where a path was read does not matter`() {
    let read = PropertyPath(["a", "b"], span: TextSpan(offset: 3, count: 3))

    #expect(read == PropertyPath("a.b"))
    #expect(Set([read, PropertyPath("a.b")]).count == 1)
    #expect(read != PropertyPath("a"))
    #expect(PropertyPath("a").appending("b") == read)
  }

  @Test func `a place needs the type of a point and two coordinates in range`() {
    #expect(PointShape.place(type: "pOiNt", coordinates: [180, -90, 7, 8])?.latitude == -90)
    #expect(PointShape.place(type: "Point", coordinates: [0]) == nil)
    #expect(PointShape.place(type: "Points", coordinates: [0, 0]) == nil)
    #expect(PointShape.place(type: "P\u{2F}int", coordinates: [0, 0]) == nil)
    #expect(PointShape.place(type: "Point", coordinates: [180.1, 0]) == nil)
    #expect(PointShape.place(type: "Point", coordinates: [.nan, 0]) == nil)
  }

  @Test func `names that differ by more than letter case are no points`() {
    // Bytes that become the same letter when one bit is set, such as `P` and 0x10.
    for index in 0..<5 {
      var bytes = Array("Point".utf8)
      bytes[index] &= 0x1F
      #expect(
        PointShape.place(type: String(decoding: bytes, as: UTF8.self), coordinates: [0, 0]) == nil)
    }
  }
}
