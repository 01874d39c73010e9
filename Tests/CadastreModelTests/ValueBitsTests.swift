import CadastreGeometry
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreModel

/// The `==` of values, which writes and change sets use: the same case with the same bits.
@Suite struct ValueBitsTests {
  /// Returns values that all differ; each call creates new ones.
  private func distinct() throws -> [Value] {
    let uuid = try #require(UUID(uuidString: "3b241101-e2bb-4255-8caf-4136c566a961"))
    let other = try #require(UUID(uuidString: "3b241101-e2bb-4255-8caf-4136c566a962"))
    return [
      .null, .bool(false), .bool(true), .int(0), .int(1), .int(-1), .float(0), .float(-0.0),
      .float(1), .float(.nan), .float(-.nan), .double(0), .double(-0.0), .double(1), .double(.nan),
      .double(-.nan), .double(Double(bitPattern: 0x7FF8_0000_0000_0123)), .string(""), .string("1"),
      .string("\u{e9}"), .string("e\u{301}"), .data(Data()), .data(Data("1".utf8)),
      .date(Timestamp(seconds: 0)), .date(Timestamp(seconds: 0, nanoseconds: 1)),
      .date(Timestamp(seconds: 1)), .objectId(ObjectId("000000000000000000000001")),
      .objectId(ObjectId("000000000000000000000002")), .uuid(uuid), .uuid(other),
      .decimal("1"), .decimal("1.0"), .decimal("-1"), .decimal("NaN"), .decimal("0"),
      .decimal("-0"),
      .geometry(try Geometry(wkt: "POINT (1 2)")), .geometry(try Geometry(wkt: "POINT (2 1)")),
      .geometry(try Geometry(wkt: "LINESTRING (1 2, 3 4)")), .link(ObjectKey(1)),
      .link(ObjectKey(2)), .object(ObjectAddress(className: "Dog", key: ObjectKey(1))),
      .object(ObjectAddress(className: "Dog", key: ObjectKey(2))),
      .object(ObjectAddress(className: "Cat", key: ObjectKey(1))), .list([]), .list([.int(1)]),
      .list([.double(1)]), .list([.int(1), .null]), .map(ValueMap()),
      .map(ValueMap([("a", .int(1))])), .map(ValueMap([("a", .double(1))])),
      .map(ValueMap([("b", .int(1))])), .map(ValueMap([("\u{e9}", .int(1))])),
      .map(ValueMap([("e\u{301}", .int(1))])), .map(ValueMap([("a", .int(1)), ("b", .null)])),
    ]
  }

  @Test func `values are equal if they have the same case and bits`() throws {
    let (first, second) = (try distinct(), try distinct())
    for (place, one) in first.enumerated() {
      for (otherPlace, other) in second.enumerated() {
        #expect((one == other) == (place == otherPlace), "\(one), \(other)")
      }
      #expect(one.hashValue == second[place].hashValue, "\(one)")
    }
    // Hashes differ often enough for sets to be fast.
    #expect(Set(first.map(\.hashValue)).count > first.count * 9 / 10)
    #expect(Set(first + second).count == first.count)
  }

  @Test func `values know their type and nesting`() {
    #expect(Value.null.isNull && !Value.int(0).isNull && Value.null.type == nil)
    #expect(Value.list([]).type == nil && Value.map(ValueMap()).type == nil)
    #expect(Value.link(ObjectKey(1)).type == .object && Value.decimal("1").type == .decimal128)
    #expect(Value.int(3).doubleValue == 3 && Value.float(0.5).doubleValue == 0.5)
    #expect(Value.decimal("1").doubleValue == nil && Value.string("1").doubleValue == nil)
    #expect(Value.decimal("1.25").asDouble == 1.25 && Value.int(3).asDouble == 3)
    #expect(Value.decimal("NaN").asDouble?.isNaN == true && Value.string("1").asDouble == nil)
    #expect(Value.string("\u{e9}").byteCount == 2 && Value.data(Data([1])).byteCount == 1)
    #expect(Value.int(1).byteCount == nil && Value.int(1).depth == 0)
    #expect(Value.list([]).depth == 1 && Value.list([.int(1), .list([.null])]).depth == 2)
    #expect(Value.map(ValueMap([("a", .list([])), ("b", .int(1))])).depth == 2)
    var deep = Value.list([])
    for _ in 0..<Value.maximumDepth { deep = .list([deep]) }
    #expect(deep.depth == Value.maximumDepth + 1)
    #expect(Value.list([deep]).depth == Value.maximumDepth + 1)
  }

  @Test func `sixteen bytes are a UUID`() {
    let bytes = (0..<32).map { UInt8($0) }
    #expect(UUID(bytes: bytes.prefix(16))?.uuidString == "00010203-0405-0607-0809-0A0B0C0D0E0F")
    for count in [0, 1, 15, 17, 32] { #expect(UUID(bytes: bytes.prefix(count)) == nil) }
  }

  @Test(arguments: Seeds.usual(1...3))
  func `maps have one value for each key, in the byte order of the keys`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let keys = ["", "a", "b", "B", "ab", "\u{e9}", "e\u{301}", "e", "日", "a\0", "~"]
    var (map, expected): (ValueMap, [[UInt8]: Int64]) = (ValueMap(), [:])
    for _ in 0..<500 {
      let key = random.pick(keys)
      if random.oneIn(3) {
        map[key] = nil
        expected[Array(key.utf8)] = nil
      } else {
        let number = Int64(random.below(1000))
        map[key] = .int(number)
        expected[Array(key.utf8)] = number
      }
      let sorted = expected.keys.sorted { $0.lexicographicallyPrecedes($1) }
      #expect(map.keys.map { Array($0.utf8) } == sorted, "seed \(seed)")
      for key in keys {
        #expect(map[key] == expected[Array(key.utf8)].map(Value.int), "seed \(seed): \(key)")
      }
      #expect(ValueMap(map.entries.map { ($0.key, $0.value) }.reversed()) == map, "seed \(seed)")
    }
  }
}
