import CadastreModel
import Foundation
import Testing
import TestingSupport

@Suite struct Decimal128ConversionTests {
  @Test func `integers of any width are converted`() throws {
    #expect(Decimal128(Int64.min).exactText == "-9223372036854775808")
    #expect(Decimal128(UInt64.max).exactText == "18446744073709551615")
    #expect(Decimal128(UInt8(7)).exactText == "7")
    #expect(Decimal128(UInt128.max).exactText == "3.402823669209384634633746074317682E+38")
    #expect(Decimal128(exactly: UInt128.max) == nil)
    #expect(Decimal128(exactly: Int64.min) == Decimal128(Int64.min))
    let round = try #require(UInt128("120000000000000000000000000000000000000", radix: 10))
    #expect(try #require(Decimal128(exactly: round)) == "1.2E+38")
  }

  @Test func `floating-point numbers become their shortest decimal`() {
    for (number, exact) in [
      (0.1, "0.1"), (5.0, "5"), (-0.0, "-0"), (1e16, "1E+16"), (2.5e-10, "2.5E-10"),
      (1e300, "1E+300"),
      (.leastNonzeroMagnitude, "5E-324"), (.infinity, "Infinity"), (-.infinity, "-Infinity"),
      (.nan, "NaN"), (0.1 + 0.2, "0.30000000000000004"), (123456789.0, "123456789"),
    ] {
      #expect(Decimal128(number).exactText == exact)
    }
    #expect(Decimal128(Float(0.1)).exactText == "0.1")
    #expect(Decimal128(Float.greatestFiniteMagnitude).exactText == "3.4028235E+38")
  }

  @Test func `a decimal is converted to the nearest double`() throws {
    for (text, number) in [
      ("0.1", 0.1), ("-2.50", -2.5), ("1E+400", .infinity), ("-1E+400", -.infinity),
      ("1E-400", 0),
      ("3E-324", .leastNonzeroMagnitude), ("9007199254740993", 9_007_199_254_740_992),
      ("9007199254740993.0000000001", 9_007_199_254_740_994), ("Infinity", .infinity),
    ] {
      #expect(try #require(Decimal128(parsing: text)).doubleValue == number, "\(text)")
    }
    #expect(Decimal128.nan.doubleValue.isNaN)
    #expect(try #require(Decimal128(parsing: "-0")).doubleValue.sign == .minus)
  }

  @Test func `decimals of Foundation round-trip`() throws {
    for text in ["0", "1.5", "-1234567890.0987654321", "1E+20", "1E-30", "0.000001"] {
      let decimal = try #require(Decimal(string: text))
      #expect(Decimal128(decimal) == Decimal128(parsing: text))
      #expect(try #require(Decimal128(parsing: text)).decimalValue == decimal)
    }
    let long = try #require(Decimal128(parsing: "-9.999999999999999999999999999999999E+30"))
    #expect(Decimal128(long.decimalValue) == long)
    #expect(Decimal128(Decimal.nan).isNaN)
    #expect(Decimal128.infinity.decimalValue.isNaN && Decimal128.nan.decimalValue.isNaN)
    #expect(Decimal128.max.decimalValue.isNaN)
    #expect(try #require(Decimal128(parsing: "1E-200")).decimalValue == 0)
    #expect(try #require(Decimal128(parsing: "1E+130")).decimalValue.isNaN)
    #expect(try #require(Decimal128(parsing: "1E+127")).decimalValue.description.count == 128)
    #expect(try #require(Decimal128(parsing: "16E-129")).decimalValue.exponent == -128)
  }

  @Test func `values of any numeric type are converted`() throws {
    let values: [Any] = [
      7, Int8(7), UInt64(7), Int128(7), 7.0, Float(7), "7", "7.0", Decimal(7), 7 as Decimal128,
      NSNumber(value: 7), NSNumber(value: 7.0), NSDecimalNumber(value: 7), Int?.some(7) as Any,
    ]
    for value in values {
      #expect(Decimal128(value: value) == 7, "\(type(of: value))")
    }
    #expect(Decimal128(value: "seven").isNaN)
    #expect(Decimal128(number: NSNumber(value: UInt64.max)).exactText == "18446744073709551615")
    #expect(Decimal128(number: NSNumber(value: Int64.min)).exactText == "-9223372036854775808")
    #expect(Decimal128(number: NSNumber(value: 0.1)).exactText == "0.1")
    #expect(Decimal128(number: NSNumber(value: Float(0.1))).exactText == "0.1")
    let precise = NSDecimalNumber(string: "1234567890123456789012345678.5")
    #expect(Decimal128(number: precise).exactText == "1234567890123456789012345678.5")
  }

  @Test func `a value of another type is a precondition failure`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Decimal128(value: [1])
    }
    expectStop(result, says: "Cannot convert value '[1]' to decimal128")
  }

  @Test func `decimals are encoded as text and decoded from text or a number`() throws {
    let numbers: [Decimal128] = ["1.50", "-1234567890123456789012345678901234", "NaN", "-Infinity"]
    let json = try JSONEncoder().encode(numbers)
    #expect(
      String(decoding: json, as: UTF8.self)
        == #"["1.5","-1234567890123456789012345678901234","NaN","-Infinity"]"#)
    #expect(try JSONDecoder().decode([Decimal128].self, from: json) == numbers)

    let read = try JSONDecoder().decode(
      [Decimal128].self, from: Data(#"["2.50", 9223372036854775807, 0.1, -3]"#.utf8))
    #expect(read.map(\.exactText) == ["2.50", "9223372036854775807", "0.1", "-3"])
    for text in [#"["two"]"#, "[null]", "[true]", "[[]]"] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode([Decimal128].self, from: Data(text.utf8))
      }
    }
  }

  @Test(arguments: [
    ("0.1", 0.1, ValueOrdering.ascending), ("0.5", 0.5, .same), ("0.50", 0.5, .same),
    ("0.1000000000000000055511151231257827", 0.1, .ascending),
    ("0.1000000000000000055511151231257828", 0.1, .descending),
    ("1E+23", 1e23, .descending), ("1E+22", 1e22, .same), ("-0.1", -0.1, .descending),
    ("-0", 0, .same), ("0", -0.0, .same), ("1E-6176", 0, .descending), ("-1E-6176", 0, .ascending),
    ("1E+6144", .greatestFiniteMagnitude, .descending), ("1E+6144", .infinity, .ascending),
    ("-1E+6144", -.infinity, .descending), ("Infinity", .infinity, .same),
    ("1.797693134862315708145274237317043E+308", .greatestFiniteMagnitude, .ascending),
    ("1.797693134862315708145274237317044E+308", .greatestFiniteMagnitude, .descending),
    ("4.940656458412465441765687928682213E-324", .leastNonzeroMagnitude, .ascending),
    ("4.940656458412465441765687928682214E-324", .leastNonzeroMagnitude, .descending),
    ("NaN", .nan, .same), ("sNaN", .signalingNaN, .same), ("NaN", -.infinity, .ascending),
    ("-Infinity", .nan, .descending),
  ])
  func `comparison with doubles is exact`(
    text: String, double: Double, expected: ValueOrdering
  ) throws {
    #expect(Decimal128.ordering(try #require(Decimal128(parsing: text)), double) == expected)
  }

  @Test(arguments: [
    ("9223372036854775807", Int64.max, ValueOrdering.same),
    ("9223372036854775807.000000000000001", .max, .descending),
    ("9223372036854775806.999999999999999", .max, .ascending),
    ("-9223372036854775808.0", .min, .same), ("-9223372036854775808.1", .min, .ascending),
    ("1E+6144", .max, .descending), ("-Infinity", .min, .ascending), ("NaN", .min, .ascending),
    ("-0", 0, .same), ("1E-6176", 0, .descending), ("1E+3", 1000, .same),
  ])
  func `comparison with integers is exact`(
    text: String, number: Int64, expected: ValueOrdering
  ) throws {
    #expect(Decimal128.ordering(try #require(Decimal128(parsing: text)), number) == expected)
  }
}
