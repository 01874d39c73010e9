import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

@Suite struct FieldParsingTests {
  @Test func `integers are read within the limits of Int64`() {
    for number in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
      #expect(parse("\(number)", FieldParsing.int64) == number)
    }
    #expect(parse("+007", FieldParsing.int64) == 7)
    for text in [
      "9223372036854775808", "-9223372036854775809", "99999999999999999999", "", "-", "+", "1 ",
      " 1", "1.0", "1e3", "0x10", "١",
    ] {
      #expect(parse(text, FieldParsing.int64) == nil, "\(text)")
    }
  }

  @Test func `random integers read as in Swift`() {
    let seed: UInt64 = 64
    var numbers = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...20, using: &numbers)
      let text = String(
        (0..<length).map { _ in "0123456789-+".randomElement(using: &numbers) ?? "0" })
      #expect(parse(text, FieldParsing.int64) == Int64(text), "seed \(seed): \(text)")
    }
  }

  @Test func `decimals of 16 to 19 digits are the nearest double, as in strtod`() {
    let seed: UInt64 = 19
    var numbers = SeededGenerator(seed: seed)
    for round in 0..<100_000 {
      let places = Int.random(in: 0...19, using: &numbers)
      var digits = numbers.next() / (round % 3 == 0 ? 1 : 2)
      if round % 2 == 0, places <= 3 {
        // Half way between two doubles: an odd integer of 54 bits, divided by a power of two.
        digits = (1 << 53 | numbers.next() >> 11 | 1) * [1, 5, 25, 125][places]
      }
      let text = Self.decimal(digits, places)
      #expect(
        parse(text, FieldParsing.double)?.bitPattern == strtod(text, nil).bitPattern,
        "seed \(seed): \(text)")
    }
    for text in [
      "9999999999999999999", "0.9999999999999999999", "18446744073709551615.0",
      "-1.0000000000000000001",
    ] {
      let expected = strtod(text, nil)
      #expect(parse(text, FieldParsing.double)?.bitPattern == expected.bitPattern, "\(text)")
    }
  }

  /// Returns digits with a decimal point before the last ones.
  private static func decimal(_ digits: UInt64, _ places: Int) -> String {
    let text = String(digits)
    let padded = String(repeating: "0", count: max(0, places + 1 - text.count)) + text
    return padded.dropLast(places) + (places > 0 ? "." : "") + padded.suffix(places)
  }

  @Test func `random decimals are the nearest double, as in strtod`() {
    let seed: UInt64 = 754
    var numbers = SeededGenerator(seed: seed)
    for round in 0..<50_000 {
      let text: String
      switch round % 4 {
      case 0:
        let bits = Double(bitPattern: numbers.next())
        guard bits.isFinite else { continue }
        text = "\(bits)"
      case 1:
        text = "\(Int.random(in: -180...180, using: &numbers)).\(numbers.next() % 10_000_000)"
      case 2:
        text =
          "\(numbers.next() % 1_000_000_000_000_000)e\(Int.random(in: -40...40, using: &numbers))"
      default:
        text = "-0.\(numbers.next())\(numbers.next())E+\(Int.random(in: 0...320, using: &numbers))"
      }
      let expected = strtod(text, nil)
      let actual = parse(text, FieldParsing.double)
      if expected.isFinite {
        #expect(actual?.bitPattern == expected.bitPattern, "seed \(seed): \(text)")
      } else {
        #expect(actual == nil, "seed \(seed): \(text)")
      }
      #expect(isDouble(text) == expected.isFinite, "seed \(seed): \(text)")
    }
  }

  private func isDouble(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBufferPointer(FieldParsing.isDouble)
  }

  @Test func `decimals accept the usual spellings and no others`() throws {
    #expect(parse("-0", FieldParsing.double)?.sign == .minus)
    #expect(parse(".5", FieldParsing.double) == 0.5)
    #expect(parse("5.", FieldParsing.double) == 5)
    #expect(parse("+1.5e+3", FieldParsing.double) == 1_500)
    #expect(parse("1e-400", FieldParsing.double) == 0)
    #expect(parse("-INF", FieldParsing.double) == -.infinity)
    #expect(try #require(parse("NaN", FieldParsing.double)).isNaN)
    for text in [
      "", ".", "-", "e5", "1e", "1e+", "1.2.3", "1,5", "0x1p3", "1 ", " 1", "nano", "infinit",
      "1e400", "1_000", "--1", "1f",
    ] {
      #expect(parse(text, FieldParsing.double) == nil, "\(text)")
      #expect(!isDouble(text), "\(text)")
    }
    for text in ["-0", ".5", "1e-400", "-INF", "NaN", "0e500", "1e308", "1.7976931348623157e308"] {
      #expect(isDouble(text), "\(text)")
    }
    for text in ["1.7976931348623159e308", "1e309"] { #expect(!isDouble(text), "\(text)") }
  }

  @Test func `Booleans are words in any case, and digits on request`() {
    for text in ["true", "TRUE", "Yes"] { #expect(parse(text, FieldParsing.boolWord) == true) }
    for text in ["false", "No"] { #expect(parse(text, FieldParsing.boolWord) == false) }
    for text in ["", "1", "0", "y", "truth"] { #expect(parse(text, FieldParsing.boolWord) == nil) }
    #expect(parse("1", FieldParsing.bool) == true)
    #expect(parse("0", FieldParsing.bool) == false)
    #expect(parse("2", FieldParsing.bool) == nil)
  }

  @Test func `UUIDs read as in Foundation`() {
    let text = "0190163D-8694-739b-aea5-966c26f8ad91"
    #expect(parse(text, FieldParsing.uuid) == UUID(uuidString: text))
    for wrong in [
      "", "{\(text)}", String(text.dropLast()), text.replacing("-", with: "_"),
      "g" + text.dropFirst(),
    ] {
      #expect(parse(wrong, FieldParsing.uuid) == nil, "\(wrong)")
    }
  }

  @Test func `every day of more than four centuries equals Foundation's`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    for day in stride(from: -150_000, through: 150_000, by: 13) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let (year, month, dayOfMonth) = (parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
      // Foundation uses the Julian calendar before 1582.
      guard year > 1582 else { continue }
      let text = String(format: "%04d-%02d-%02d", year, month, dayOfMonth)
      #expect(
        parse(text, FieldParsing.date) == Timestamp(seconds: Int64(day) * 86_400), "\(text)")
    }
  }

  @Test(arguments: [
    ("1970-01-01", 0, 0), ("1970-01-01T00:00:00Z", 0, 0),
    ("1969-12-31 23:59:59.5", -1, 500_000_000),
    ("2026-11-21T08:47", 1_795_250_820, 0), ("2026/11/21 08:47", 1_795_250_820, 0),
    ("2000/02/29", 951_782_400, 0),
    ("2026-11-21T09:47:05.000000001+01:00", 1_795_250_825, 1),
    ("2026-11-21T03:17:05,25-0530", 1_795_250_825, 250_000_000),
    ("2026-11-21T08:47:05.1234567899Z", 1_795_250_825, 123_456_790),
    ("0000-01-01", -62_167_219_200, 0), ("2000-02-29", 951_782_400, 0),
    ("+10000-01-01", 253_402_300_800, 0), ("-0044-03-15", -63_549_360_000, 0),
    ("2026-11-21T08:47:05.9999999996Z", 1_795_250_826, 0),
  ])
  func `dates are read with nanoseconds`(text: String, seconds: Int, nanoseconds: Int) {
    #expect(
      parse(text, FieldParsing.date)
        == Timestamp(seconds: Int64(seconds), nanoseconds: Int64(nanoseconds)))
  }

  @Test(arguments: [
    "", "2026", "2026-1-1", "20261121", "2026-13-01", "2026-02-29", "1900-02-29", "2026-11-31",
    "2026/11-21", "2026-11/21", "2026/1/1", "2026/13/01",
    "2026-11-21T", "2026-11-21T8:47", "2026-11-21T24:00", "2026-11-21T08:60", "2026-11-21T08:47:60",
    "2026-11-21T08:47:05.", "2026-11-21T08:47:05+1", "2026-11-21Z", "2026-11-21 08:47 UTC",
    "21.11.2026", "+2026", "-44-03-15", "+1234567890123-01-01", "10000-01-01",
  ])
  func `text that is no ISO 8601 date is rejected`(text: String) {
    #expect(parse(text, FieldParsing.date) == nil)
  }
}
