import Foundation
import Testing

@testable import CadastreModel

@Suite struct ValueOrderTests {
  /// Values of every type in ascending order; the values of an element are equal in the order.
  private static let ascending: [[Value]] = [
    [.null], [.bool(false)], [.bool(true)],
    [.double(.nan), .float(.nan), .double(Double(bitPattern: 0xFFF8_0000_0000_0001))],
    [.double(-.infinity), .float(-.infinity)], [.double(-1e300)],
    [.int(.min), .double(-0x1p63), .float(-0x1p63)], [.int(.min + 1)],
    [.int(-(1 << 53) - 1)], [.int(-(1 << 53)), .double(-0x1p53)],
    [.int(-1), .double(-1), .float(-1)], [.double(-.leastNonzeroMagnitude)],
    [.int(0), .double(0), .double(-0.0), .float(-0.0)], [.double(0.1)], [.float(0.1)],
    [.int(3), .double(3), .float(3)], [.double(3.5), .float(3.5)], [.int(4)],
    [.int(1 << 53), .double(0x1p53)], [.int(1 << 53 + 1)],
    [.int(1 << 53 + 2), .double(0x1p53 + 2)],
    [.double(0x1p63 - 1024)], [.int(.max - 1)], [.int(.max)], [.double(0x1p63), .float(0x1p63)],
    [.double(1e300)], [.double(.infinity), .float(.infinity)],
    [.string("")], [.string("A")], [.string("A\0")], [.string("a")], [.string("e\u{301}")],
    [.string("z")], [.string("\u{e9}")], [.string("\u{FFFD}")], [.string("🚢")],
    [.data(Data())], [.data(Data([0]))], [.data(Data([0, 1]))], [.data(Data([0xFF]))],
    [.date(Timestamp(seconds: .min))], [.date(Timestamp(seconds: -1, nanoseconds: 999_999_999))],
    [.date(Timestamp(seconds: 0))], [.date(Timestamp(seconds: 0, nanoseconds: 1))],
    [.objectId(ObjectId())], [.objectId(ObjectId("ff0000000000000000000000"))],
    [.uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))],
    [.uuid(UUID(uuid: (0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))],
    [.link(ObjectKey(1))], [.link(ObjectKey(2))],
  ]

  @Test func `values have the documented order`() {
    for (low, values) in Self.ascending.enumerated() {
      for (high, others) in Self.ascending.enumerated() {
        let expected = ValueOrdering(low, high)
        for (value, other) in values.flatMap({ value in others.map { (value, $0) } }) {
          #expect(value.ordering(other) == expected, "\(value) and \(other)")
        }
      }
    }
  }

  @Test func `the order is transitive`() {
    let values = Self.ascending.flatMap { $0 }
    for first in values {
      #expect(first.ordering(first) == .same)
      for second in values {
        #expect(first.ordering(second) == second.ordering(first).reversed)
        for third in values where first.ordering(second) != .descending {
          if second.ordering(third) != .descending, first.ordering(third) == .descending {
            Issue.record("\(first) ≤ \(second) ≤ \(third) ≤ \(first)")
          }
        }
      }
    }
  }

  @Test func `integers and floating-point numbers are compared exactly`() {
    let wholes: [Int64] = [
      0, 1, -1, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1, 1 << 62, 1 << 62 + 1, .max, .max - 511,
      .max - 512, .max - 513, .min, .min + 1,
    ]
    let fractions: [Double] = [
      0, -0.0, 0.5, -0.5, 1, 0x1p53, 0x1p53 + 2, -0x1p53, 0x1p62, 0x1p63, 0x1p63 - 1024, -0x1p63,
      -0x1p63 - 2048, 1e300, .infinity, -.infinity, .leastNonzeroMagnitude,
    ]
    for whole in wholes {
      for fraction in fractions {
        #expect(Value.ordering(whole, fraction) == Self.exactOrdering(whole, fraction))
      }
    }
  }

  /// Compares integer and fractional parts, in 128 bits.
  private static func exactOrdering(_ whole: Int64, _ fraction: Double) -> ValueOrdering {
    if abs(fraction) > 0x1p100 { return fraction > 0 ? .ascending : .descending }
    let floor = fraction.rounded(.down)
    let byFloor = ValueOrdering(Int128(whole), Int128(floor))
    return byFloor == .same && floor < fraction ? .ascending : byFloor
  }

  @Test func `equal values have the same bits`() {
    #expect(Value.double(.nan) == .double(.nan))
    #expect(Value.double(0) != .double(-0.0))
    #expect(Value.double(.nan) != .double(Double(bitPattern: 0x7FF8_0000_0000_0001)))
    #expect(Value.string("e\u{301}") != .string("\u{e9}"))
    #expect(Value.int(3) != .double(3))
    #expect(Set([Value.string("e\u{301}"), .string("\u{e9}"), .float(0), .float(-0.0)]).count == 4)
  }

  @Test func `a range is empty if its lower bound exceeds its upper bound`() {
    let three = ValueRange.Bound(.int(3), isIncluded: true)
    let open = ValueRange.Bound(.double(3), isIncluded: false)

    #expect(!ValueRange(lower: three, upper: three).isEmpty)
    #expect(ValueRange(lower: three, upper: open).isEmpty)
    #expect(ValueRange(lower: .init(.int(4), isIncluded: true), upper: three).isEmpty)
    #expect(!ValueRange().isEmpty)
    #expect(ValueRange.exactly(.null).single == .null)
  }

  @Test func `the intersection of ranges contains the values of both`() {
    let bounds: [ValueRange.Bound?] =
      [nil]
      + [1, 2, 3].flatMap { number in
        [true, false].map { ValueRange.Bound(.int(number), isIncluded: $0) }
      }
    let ranges =
      [ValueRange.exactly(.null)]
      + bounds.flatMap { low in bounds.map { ValueRange(lower: low, upper: $0) } }
    let values: [Value] = [.null, .int(0), .int(1), .double(1.5), .int(2), .int(3), .int(4)]
    for first in ranges {
      for second in ranges {
        let common = first.intersection(second)
        for value in values {
          #expect(
            Self.contains(common, value)
              == (Self.contains(first, value) && Self.contains(second, value)),
            "\(value) in \(first) and \(second)")
        }
      }
    }
  }

  private static func contains(_ range: ValueRange, _ value: Value) -> Bool {
    if value.isNull { return range == .exactly(.null) }
    if range == .exactly(.null) { return false }
    let isAbove =
      range.lower.map { $0.value.ordering(value).rawValue < ($0.isIncluded ? 1 : 0) } ?? true
    let isBelow =
      range.upper.map { value.ordering($0.value).rawValue < ($0.isIncluded ? 1 : 0) } ?? true
    return isAbove && isBelow
  }
}
