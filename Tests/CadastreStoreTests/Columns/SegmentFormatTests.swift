import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// The bytes of stored segments: they return the values of the column, and damaged ones are refused.
@Suite struct SegmentFormatTests {
  private static let types: [PropertyType] = [
    .int, .bool, .double, .float, .string, .data, .date, .objectId, .UUID, .object,
  ]

  /// Returns random values of a type, and nulls.
  private func values(
    _ type: PropertyType, _ count: Int, _ random: inout SeededGenerator
  ) -> [Value] {
    let hasNulls = random.oneIn(2)
    let base: Int64 = random.pick([0, -7, 1 << 40, .min / 2])
    let width = random.pick([1, 2, 300, 70_000, 1 << 45])
    let isAscending = random.oneIn(2)
    return (0..<count).map { row in
      if hasNulls, random.oneIn(5) { return .null }
      let number = base + Int64(random.below(width)) + (isAscending ? Int64(row) * 3 : 0)
      switch type {
      case .int: return .int(random.oneIn(500) ? random.pick([.min, .max]) : number)
      case .bool: return .bool(random.oneIn(3))
      case .object: return .link(ObjectKey(number))
      case .double:
        return .double(
          width > 300
            ? Double(number) / 7 : random.pick([Double(number % 1000) / 100, -0.0, .infinity, 1.5]))
      case .float: return .float(width > 300 ? Float(number) / 7 : Float(random.below(64)) / 4)
      case .string:
        return .string(String(repeating: "é", count: random.below(9)) + "\(number % 500)")
      case .data: return .data(Data(repeating: UInt8(row & 255), count: random.below(20)))
      case .date:
        return .date(
          random.oneIn(9)
            ? Timestamp(Date(timeIntervalSinceReferenceDate: 0.1))
            : Timestamp(seconds: number / 1000, nanoseconds: number % 1000))
      case .objectId: return .objectId(ObjectId())
      case .UUID: return .uuid(UUID())
      default: return .null
      }
    }
  }

  private func column(_ type: PropertyType, _ values: [Value]) -> EncodedColumn {
    let vector = ColumnVector(type: type)
    for value in values { vector.append(converting: value) }
    return EncodedColumn(vector)
  }

  @Test func `checksums are those of the specification`() {
    for (text, checksum) in [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ] as [(String, UInt64)] {
      let found = Array(text.utf8).withUnsafeBytes { SegmentChecksum.of($0, seed: 0) }
      #expect(found == checksum, "\(text)")
    }
  }

  @Test func `the bytes have the documented layout`() throws {
    let numbers = column(.int, [.int(1000), .null, .int(1003)])
    let bytes = try #require(SegmentFormat.bytes(numbers, key: 5))
    // Version, type, encoding, nulls, count, the set of nulls, mode, width, base, codes.
    let content: [UInt8] =
      [1, 1, 1, 1, 3, 0] + [0b010, 0, 0, 0, 0, 0, 0, 0] + [1, 1, 0xE8, 3, 0, 0, 0, 0, 0, 0]
      + [0b100, 0, 0, 0, 0, 0, 0, 0]
    #expect(Array(bytes[8...]) == content)
    let checksum = content.withUnsafeBytes { SegmentChecksum.of($0, seed: 5) }
    #expect(Array(bytes[..<8]) == (0..<8).map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) })
  }

  @Test(arguments: Seeds.usual(1...3))
  func `a column returns its values`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for type in Self.types {
      for count in [0, 1, 63, 64, 700, 4096] {
        let values = values(type, count, &random)
        let key = Int64(random.below(1 << 50))
        let bytes = try #require(SegmentFormat.bytes(column(type, values), key: key))
        let read = try bytes.withUnsafeBytes { try SegmentFormat.column($0, key: key, type) }
        #expect(read.count == count)
        #expect(read.nullCount == values.count(where: \.isNull))
        for row in 0..<count {
          let (found, expected) = (read.value(row), values[row])
          #expect(found == expected, "seed \(seed), \(type), row \(row) of \(count)")
          if case .double(let number) = expected, case .double(let same) = found {
            #expect(number.bitPattern == same.bitPattern, "seed \(seed)")
          }
        }
      }
    }
  }

  @Test(arguments: Seeds.usual(10...11))
  func `integers of each width return`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for width in 0...64 {
      for (step, count) in [(Int64(0), 1), (0, 9), (0, 4096), (1, 2), (1, 4096)] {
        let mask = width == 64 ? UInt64.max : 1 << UInt64(width) - 1
        let base = random.pick([Int64(0), -7, .min, .max &- Int64(bitPattern: mask)])
        let values = (0..<count).map { row -> Value in
          let difference = random.pick([0, mask, random.next() & mask])
          return random.below(9) == 0
            ? .null : .int(base &+ Int64(bitPattern: difference) &+ step &* Int64(row))
        }
        let bytes = try #require(SegmentFormat.bytes(column(.int, values), key: 2))
        let read = try bytes.withUnsafeBytes { try SegmentFormat.column($0, key: 2, .int) }
        #expect((0..<count).map(read.value) == values, "seed \(seed), \(width) bits, \(count)")
      }
    }
  }

  @Test(arguments: [0, 5, 4000])
  func `few texts beside nulls are valid`(first: Int) throws {
    // The codes of the texts ascend by one, as identifiers do.
    let values = (0..<4096).map { row -> Value in
      (first..<first + 2).contains(row) ? .string("text \(row)") : .null
    }
    let bytes = try #require(SegmentFormat.bytes(column(.string, values), key: 1))
    let read = try bytes.withUnsafeBytes { try SegmentFormat.column($0, key: 1, .string) }
    #expect((0..<4096).map(read.value) == values)
  }

  @Test func `a set of rows returns its rows`() throws {
    for rows in [RowSet(), RowSet([0]), RowSet([63]), RowSet([64, 4095]), RowSet(below: 4096)] {
      let bytes = SegmentFormat.bytes(rows, key: 9)
      let read = try bytes.withUnsafeBytes { try SegmentFormat.rows($0, key: 9) }
      #expect(Array(read) == Array(rows))
    }
  }

  @Test func `consecutive identifiers and equal numbers take no bits`() throws {
    for value in [{ Int64($0) + 900_000_000_000 }, { _ in 77 }] as [(Int) -> Int64] {
      let bytes = SegmentFormat.bytes(column(.int, (0..<4096).map { .int(value($0)) }), key: 1)
      #expect(bytes?.count == 24)
    }
    let flags = SegmentFormat.bytes(column(.bool, (0..<4096).map { .bool($0 % 3 == 0) }), key: 1)
    #expect(flags?.count == 24 + 512)
  }

  @Test func `decimals, mixed values, geometries and large texts are not stored`() {
    for (type, value) in [
      (.decimal128, .decimal(Decimal128(1.0))), (.any, .int(1)),
      (.string, .string(String(repeating: "x", count: 4097))),
      (.data, .data(Data(count: 4097))),
    ] as [(PropertyType, Value)] {
      #expect(SegmentFormat.bytes(column(type, [value]), key: 1) == nil)
    }
    let texts = (0..<4096).map { Value.string("\($0)" + String(repeating: "x", count: 80)) }
    #expect(SegmentFormat.bytes(column(.string, texts), key: 1) == nil)
  }

  // MARK: Damage

  /// Decodes bytes and reads what a decoded column contains.
  ///
  /// - Returns: Whether the bytes are valid.
  private func isValid(_ bytes: [UInt8], key: Int64, _ type: PropertyType) -> Bool {
    bytes.withUnsafeBytes { bytes in
      guard let column = try? SegmentFormat.column(bytes, key: key, type) else { return false }
      #expect(column.count <= 4096)
      for row in 0..<column.count { _ = column.value(row) }
      var rows = RowSet(below: column.count)
      switch column.content {
      case .integers(let numbers): numbers.keep(&rows, from: -5, through: 1 << 42)
      case .decimals(let numbers): numbers.keep(&rows, from: 0.3, through: 77)
      case .dictionary(let dictionary): dictionary.keep(&rows, values: RowSet([0]))
      case .text(let text): text.withBytes { _, _ in }
      default: break
      }
      return true
    }
  }

  @Test(arguments: Seeds.usual(4...6))
  func `a changed byte is found`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for type in Self.types {
      let bytes = try #require(
        SegmentFormat.bytes(column(type, values(type, 600, &random)), key: 3))
      #expect(isValid(bytes, key: 3, type))
      #expect(!isValid(bytes, key: 4, type))
      for other in Self.types where other != type { #expect(!isValid(bytes, key: 3, other)) }
      for _ in 0..<50 {
        var damaged = bytes
        damaged[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
        #expect(!isValid(damaged, key: 3, type), "seed \(seed), \(type)")
        #expect(!isValid(Array(bytes.prefix(random.below(bytes.count))), key: 3, type))
      }
    }
  }

  @Test(arguments: Seeds.usual(7...9))
  func `arbitrary bytes with a valid checksum do not stop the process`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var valid = 0
    for type in Self.types {
      let intact = try #require(
        SegmentFormat.bytes(column(type, values(type, 900, &random)), key: 3))
      for _ in 0..<300 {
        var content = Array(intact[8...])
        for _ in 0...random.below(3) {
          // The header, and the beginning of the content, decide most.
          let index = random.below(random.pick([6, min(200, content.count), content.count]))
          content[index] = random.pick([0, 1, 2, 7, 64, 65, 255, UInt8(random.below(256))])
        }
        switch random.below(6) {
        case 0: content = Array(content.prefix(random.below(content.count + 1)))
        case 1: content += [UInt8](repeating: 0xFF, count: random.below(40))
        case 2:
          content =
            Array(content[..<6]) + (0..<random.below(99)).map { _ in UInt8(random.below(256)) }
        default: break
        }
        if isValid(SegmentFormat.sealed(content, key: 3), key: 3, type) { valid += 1 }
        let sealed = SegmentFormat.sealed(content, key: 3)
        _ = sealed.withUnsafeBytes { try? SegmentFormat.rows($0, key: 3) }
      }
    }
    // Some changes affect values only, so that these reads are tested too.
    #expect(valid > 100)
  }
}
