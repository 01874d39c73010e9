import CadastreGeometry
import Foundation
import Testing

@testable import CadastreModel

/// The table of the article Equality, as literals.
@Suite struct ValueKeyTests {
  /// Lists of equal values; values of different lists differ.
  private static let equal: [[Value]] = [
    [.null], [.bool(false)], [.bool(true)],
    [
      .double(.nan), .double(-.nan), .double(Double(bitPattern: 0x7FF8_0000_0000_0123)),
      .float(.nan),
      .float(Float(bitPattern: 0xFFC0_0001)), .decimal(.nan), .decimal("sNaN"),
    ],
    [.double(-.infinity), .float(-.infinity), .decimal("-Infinity")],
    [.double(.infinity), .float(.infinity), .decimal("Infinity")],
    [
      .int(0), .double(0), .double(-0.0), .float(0), .float(-0.0), .decimal("0"), .decimal("-0"),
      .decimal("0.00"), .decimal("0E+6000"), .decimal("-0E-6176"),
    ],
    [.int(1), .double(1), .float(1), .decimal("1"), .decimal("1.000"), .decimal("100E-2")],
    [.double(1.5), .float(1.5), .decimal("1.5"), .decimal("1.50"), .decimal("0.15E+1")],
    [.double(-1.5), .decimal("-1.50")],
    [.double(0.1)], [.float(0.1)], [.decimal("0.1"), .decimal("0.10")],
    [.double(0x1p-20), .float(0x1p-20), .decimal("9.5367431640625E-7")],
    [.int(1000), .decimal("1E+3"), .decimal("1000.0")],
    [.int(1_000_000_000_000_000_000), .double(1e18), .decimal("1E+18")],
    // The second number is equal to the first one modulo 2^128.
    [.int(262_144), .double(262_144)], [.decimal("1183241514548696285674702744127081E+18")],
    [.int(9_007_199_254_740_992), .double(0x1p53), .decimal("9007199254740992")],
    [.int(9_007_199_254_740_993), .decimal("9007199254740993.0")],
    [.int(.max), .decimal("9223372036854775807")],
    [.double(0x1p63), .float(0x1p63), .decimal("9223372036854775808")],
    [.int(.min), .double(-0x1p63), .decimal("-9223372036854775808")],
    [.decimal("-9223372036854775809")],
    [.double(1e23)], [.decimal("1E+23")], [.double(1e22), .decimal("1E+22")],
    [.decimal("9.999999999999999999999999999999999E+6144")], [.decimal("1E-6176")],
    [.decimal("1E+6144"), .decimal("1.000E+6144")], [.double(.leastNonzeroMagnitude)],
    [.string("")], [.string("1")], [.string("\u{e9}")], [.string("e\u{301}")],
    [.data(Data())], [.data(Data("1".utf8))],
    [.date(Timestamp(seconds: 0))], [.date(Timestamp(seconds: 0, nanoseconds: 1))],
    [.objectId(ObjectId("00112233445566778899aabb"))],
    [.data(Data([0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb]))],
    [.uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))],
    [.data(Data([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]))],
    [.link(ObjectKey(1))], [.object(ObjectAddress(className: "Dog", key: ObjectKey(1)))],
    [.object(ObjectAddress(className: "Cat", key: ObjectKey(1)))],
    [.list([])], [.list([.int(1), .double(.nan)]), .list([.decimal("1.0"), .float(.nan)])],
    [.list([.double(.nan), .int(1)])],
    [.map(ValueMap())],
    [.map(ValueMap([("a", .int(0))])), .map(ValueMap([("a", .double(-0.0))]))],
    [.map(ValueMap([("\u{e9}", .int(0))]))], [.map(ValueMap([("e\u{301}", .int(0))]))],
  ]

  /// Calls a closure with each pair of values, and whether they are equal.
  private func forEachPair(_ body: (Value, Value, Bool) -> Void) {
    for (index, first) in Self.equal.enumerated() {
      for (other, second) in Self.equal.enumerated() {
        for (one, another) in first.flatMap({ one in second.map { (one, $0) } }) {
          body(one, another, index == other)
        }
      }
    }
  }

  @Test func `keys, the order and equality have one table`() {
    forEachPair { first, second, areEqual in
      #expect(first.isSame(as: second) == areEqual, "\(first) and \(second)")
      #expect((first.ordering(second) == .same) == areEqual, "\(first) and \(second)")
      let (key, other) = (ValueKey(first), ValueKey(second))
      #expect((key == other) == areEqual, "\(first) and \(second)")
      #expect(first.equals(second, areStored: true) == areEqual, "\(first) and \(second)")
      if areEqual { #expect(key.hashValue == other.hashValue, "\(first) and \(second)") }
    }
    #expect(Set(Self.equal.joined().map(ValueKey.init)).count == Self.equal.count)
  }

  @Test func `a NaN of a float or a double is equal to no constant`() {
    forEachPair { first, second, areEqual in
      let isNaN = [first, second].contains { $0.doubleValue?.isNaN == true }
      #expect(first.equals(second, areStored: false) == (areEqual && !isNaN))
    }
    #expect(Value.decimal(.nan).equals(.decimal("sNaN"), areStored: false))
  }

  @Test func `geometries are equal if their positions are`() throws {
    let zero = try #require(GeoPoint(latitude: -0.0, longitude: -0.0))
    let point = Value.geometry(Geometry(zero))
    let same = Value.geometry(try Geometry(wkt: "POINT (0 0)"))
    #expect(point.isSame(as: same) && point.ordering(same) == .same)
    #expect(ValueKey(point) == ValueKey(same))
    for text in ["POINT Z (0 0 0)", "MULTIPOINT (0 0)", "POINT (0 1)", "POINT EMPTY"] {
      let other = Value.geometry(try Geometry(wkt: text))
      #expect(!point.isSame(as: other) && point.ordering(other) != .same)
      #expect(ValueKey(point) != ValueKey(other))
    }
  }

  @Test func `keys of texts are equal if their bytes are`() {
    let names = ["\u{e9}", "e\u{301}", "\u{e9}", "e", ""]
    #expect(Set(names.map(TextKey.init)).count == 4)
  }
}
