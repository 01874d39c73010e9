import Foundation
import Testing

@testable import CadastreModel

@Suite struct Decimal128Tests {
  @Test func `sums of decimal fractions are exact`() {
    let sum: Decimal128 = 0.1 + 0.2

    #expect(sum == 0.3)
    #expect("0.70" as Decimal128 + "0.30" == 1)
    #expect(("0.70" as Decimal128 + "0.30").exactText == "1.00")
  }

  @Test(arguments: [
    ("1.5", "1.50", "3.00", "0.00", "2.250", "1"), ("3.00", "2", "5.00", "1.00", "6.00", "1.50"),
    ("1", "8", "9", "-7", "8", "0.125"), ("-0", "0", "0", "-0", "-0", "NaN"),
    ("1E+3", "1E-3", "1000.001", "999.999", "1", "1E+6"),
    ("Infinity", "-2", "Infinity", "Infinity", "-Infinity", "-Infinity"),
    ("2", "-Infinity", "-Infinity", "Infinity", "-Infinity", "-0E-6176"),
    ("Infinity", "Infinity", "Infinity", "NaN", "Infinity", "NaN"),
    ("Infinity", "0", "Infinity", "Infinity", "NaN", "Infinity"),
    ("1", "0", "1", "1", "0", "Infinity"), ("-1", "0", "-1", "-1", "-0", "-Infinity"),
    ("sNaN", "1", "NaN", "NaN", "NaN", "NaN"), ("1", "NaN", "NaN", "NaN", "NaN", "NaN"),
  ])
  func `the four operations have sign and exponent as in IEEE 754`(
    first: String, second: String, sum: String, difference: String, product: String,
    quotient: String
  ) throws {
    let (first, second) = (try decimal(first), try decimal(second))

    #expect((first + second).exactText == sum)
    #expect((first - second).exactText == difference)
    #expect((first * second).exactText == product)
    #expect((first / second).exactText == quotient)
  }

  @Test func `ties are rounded to the even digit`() throws {
    let nines = String(repeating: "9", count: 34)
    for (text, expected) in [
      ("1000000000000000000000000000000000.5", "1000000000000000000000000000000000"),
      ("1000000000000000000000000000000001.5", "1000000000000000000000000000000002"),
      ("1000000000000000000000000000000000.50000001", "1000000000000000000000000000000001"),
      ("1000000000000000000000000000000000.49999999", "1000000000000000000000000000000000"),
      (nines + ".5", "1.000000000000000000000000000000000E+34"),
      ("0." + nines + "5", "1.000000000000000000000000000000000"),
    ] {
      #expect(try decimal(text).exactText == expected)
      #expect(try decimal("-" + text).exactText == "-" + expected)
    }
    let big = try decimal(nines)
    #expect((big + "0.5").exactText == "1.000000000000000000000000000000000E+34")
    #expect((big + "0.4").exactText == nines)
    #expect((big + "1E-6000").exactText == nines)
    #expect((big - "1E-6000").exactText == nines)
    #expect((big + 1).exactText == "1.000000000000000000000000000000000E+34")
  }

  @Test(arguments: [
    ("0.5", "1234", "1234"), ("0.50000001", "1235", "1233"), ("0.49999999", "1234", "1234"),
    ("0.5000000000000000000000000000000001", "1235", "1233"), ("1E-6176", "1234", "1234"),
    ("1.5", "1236", "1232"), ("1.49999999", "1235", "1233"), ("1.50000001", "1236", "1232"),
  ])
  func `digits far below the last one decide ties`(
    small: String, sum: String, difference: String
  ) throws {
    let head = "123456789012345678901234567890"
    let (big, small) = (try decimal(head + "1234"), try decimal(small))

    #expect((big + small).exactText == head + sum)
    #expect((big - small).exactText == head + difference)
    #expect((-big + small).exactText == "-" + head + difference)
  }

  @Test func `subtraction borrows across any difference of exponents`() throws {
    #expect(("1E+40" as Decimal128 - 1).exactText == "1.000000000000000000000000000000000E+40")
    #expect(("1E+33" as Decimal128 - "0.1").exactText == "999999999999999999999999999999999.9")
    #expect(("1E+34" as Decimal128 - "0.6").exactText == "9999999999999999999999999999999999")
    #expect(("1.0000001" as Decimal128 - "1.0000000").exactText == "1E-7")
    #expect((5 as Decimal128 - 5).exactText == "0")
  }

  @Test func `overflow is infinity, and a large exponent uses free digits`() throws {
    #expect(Decimal128.max + Decimal128.max == .infinity)
    #expect(Decimal128.min * 2 == -Decimal128.infinity)
    #expect(Decimal128.max + "1E+6110" == .max)
    #expect(Decimal128.max + "5E+6110" == .infinity)
    #expect(try decimal("1E+6144").exactText == "1." + String(repeating: "0", count: 33) + "E+6144")
    #expect(try decimal("1E+6145").isInfinite)
    #expect(try decimal("0E+9999").exactText == "0E+6111")
    #expect(try decimal("-1E+99999999999999999999").exactText == "-Infinity")
    #expect(Decimal128.max.exactText == "9." + String(repeating: "9", count: 33) + "E+6144")
    #expect(Decimal128.min == -Decimal128.max)
  }

  @Test func `underflow loses digits, then is zero with its sign`() throws {
    for (text, expected) in [
      ("1E-6176", "1E-6176"), ("14E-6177", "1E-6176"), ("15E-6177", "2E-6176"),
      ("25E-6177", "2E-6176"), ("5E-6177", "0E-6176"), ("-6E-6177", "-1E-6176"),
      ("-1E-9999", "-0E-6176"), ("0E-9999", "0E-6176"), ("1E-99999999999999999999", "0E-6176"),
      ("1.234567890123456789012345678901234E-6150", "1.23456789012345678901234568E-6150"),
    ] {
      #expect(try decimal(text).exactText == expected)
    }
    let smallest = try decimal("1E-6176")
    #expect((smallest / 2).exactText == "0E-6176")
    #expect((smallest * "1.5").exactText == "2E-6176")
    #expect((smallest * smallest).exactText == "0E-6176")
    #expect(smallest * "1E+6144" == "1E-32")
  }

  @Test func `equal numbers with different digits have equal hashes and keep their digits`() {
    let (short, long): (Decimal128, Decimal128) = ("1.5", "1.500")

    #expect(short == long && Set([short, long]).count == 1)
    #expect(!short.hasSameRepresentation(as: long))
    #expect(long.exactText == "1.500" && long.stringValue == "1.5")
    #expect("0" as Decimal128 == "-0E+7" && Set<Decimal128>(["0", "-0", "0E-9"]).count == 1)
    #expect("1E+6144" as Decimal128 == "1000E+6141")
    #expect(("1E+3" as Decimal128).hashValue == (1000 as Decimal128).hashValue)
  }

  @Test func `NaN equals NaN and precedes all numbers`() throws {
    #expect(Decimal128.nan == Decimal128.nan)
    #expect([1, .nan, 2].firstIndex(of: Decimal128.nan) == 1)
    #expect(Set<Decimal128>(["NaN", "sNaN", "-nan"]).count == 1)
    let sorted: [Decimal128] = [.nan, -.infinity, .min, -1, "-1E-6176", 0, "1E-6176", 1, .max]
    #expect(sorted.shuffled().sorted() == sorted)
    #expect(.max < Decimal128.infinity)
    #expect(try decimal("sNaN").isSignaling && !Decimal128.nan.isSignaling)
    #expect(!(-(try decimal("sNaN"))).isSignaling)
  }

  @Test(arguments: [
    ("1.50", "1.5"), ("100", "100"), ("1.00", "1"), ("0.000", "0"), ("-0", "-0"), ("0E+5", "0"),
    ("1E+3", "1E3"), ("1.500E+10", "1.5E10"), ("1.000E+10", "1E10"), ("1.5E+2", "1.5E2"),
    ("0.0000010", "0.000001"), ("1.0E-7", "1E-7"), ("-12.340", "-12.34"),
    ("123456789012345678.9012345678901230", "123456789012345678.901234567890123"),
    ("NaN", "NaN"), ("sNaN", "sNaN"), ("-Infinity", "-Infinity"), ("Infinity", "Infinity"),
  ])
  func `text for users has no trailing zeros in the fraction`(exact: String, text: String) throws {
    #expect(try decimal(exact).exactText == exact)
    #expect(try decimal(exact).stringValue == text)
    #expect(try decimal(exact).description == text)
  }

  @Test(arguments: [
    ("+1", "1"), (".5", "0.5"), ("5.", "5"), ("007", "7"), ("1e5", "1E+5"), ("1E+05", "1E+5"),
    ("-.5e-2", "-0.005"), ("iNf", "Infinity"), ("-INFINITY", "-Infinity"), ("nAn", "NaN"),
    ("-NaN", "NaN"), ("SNAN", "sNaN"), ("0." + String(repeating: "0", count: 50) + "1", "1E-51"),
    ("1" + String(repeating: "0", count: 50), "1." + String(repeating: "0", count: 33) + "E+50"),
  ])
  func `numbers are parsed in many forms`(text: String, exact: String) throws {
    #expect(try decimal(text).exactText == exact)
  }

  @Test(arguments: [
    "", " ", "+", "-", ".", "-.", "e5", "1e", "1e+", "1e5.0", "1.2.3", "1,5", " 1", "1 ", "1_000",
    "0x10", "--1", "+-1", "infinit", "infinityy", "nan1", "na", "١", "1\u{301}", "1\0", "½", "∞",
  ])
  func `other text is nil, or NaN as in Realm`(text: String) throws {
    #expect(Decimal128(parsing: text) == nil)
    #expect(Decimal128(string: text).isNaN)
    #expect(Decimal128(stringLiteral: text).isNaN)
  }

  @Test func `magnitudes and distances are exact`() {
    let long: Decimal128 = "-1234567890123456789012345678901234"

    #expect(long.magnitude.exactText == "1234567890123456789012345678901234")
    #expect((-long).exactText == "1234567890123456789012345678901234")
    #expect((1 as Decimal128).distance(to: "1.25") == 0.25)
    #expect((1 as Decimal128).advanced(by: 0.25) == 1.25)
    #expect(Array(stride(from: 0 as Decimal128, to: 0.3, by: 0.1)) == [0, 0.1, 0.2])
    var number: Decimal128 = 2
    number += 3
    number *= 4
    number -= 5
    number /= 2
    #expect(number == 7.5)
    number.negate()
    #expect(number == -7.5 && [1, 2, 3].reduce(0 as Decimal128, +) == 6)
  }

  @Test func `non-canonical bits are decoded as the standard requires`() {
    let tooLong = Decimal128.max.bits + 1
    #expect(Decimal128(bits: tooLong).exactText == "0E+6111")
    #expect(Decimal128(bits: 0x6c10 << 112 | 1).exactText == "0")
    #expect(Decimal128(bits: 0xfc00 << 112 | 7).hasSameRepresentation(as: .nan))
    #expect(Decimal128(bits: 0xf800 << 112 | 7).hasSameRepresentation(as: -.infinity))
    #expect(Decimal128().hasSameRepresentation(as: 0))
    #expect(MemoryLayout<Decimal128>.size == 16 && MemoryLayout<Decimal128>.alignment == 8)
  }

  private func decimal(_ text: String) throws -> Decimal128 {
    try #require(Decimal128(parsing: text))
  }
}
