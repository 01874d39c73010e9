import CadastreModel
import Foundation
import Testing

@testable import CadastrePredicate

@Suite struct LexerTests {
  /// The constant that a text denotes.
  private func constant(_ text: String) -> Value? {
    guard case .comparison(let comparison)? = try? QueryPredicate(parsing: "a == \(text)"),
      case .value(let value) = comparison.right
    else { return nil }
    return value
  }

  @Test func `whole numbers`() {
    #expect(constant("0") == .int(0))
    #expect(constant("-0") == .int(0))
    #expect(constant("+7") == .int(7))
    #expect(constant("007") == .int(7))
    #expect(constant("9223372036854775807") == .int(.max))
    #expect(constant("-9223372036854775808") == .int(.min))
    #expect(constant("9223372036854775808") == nil)
    #expect(constant("0x1F") == .int(31))
    #expect(constant("0XfF") == .int(255))
    #expect(constant("-0x8000000000000000") == .int(.min))
    #expect(constant("0x8000000000000000") == nil)
    #expect(constant("0x") == nil)
    #expect(constant("0x1G") == nil)
    #expect(constant("1_000") == nil)
    #expect(constant("- 1") == nil)
    #expect(constant("٣") == nil)
  }

  @Test func `NaN has no sign`() throws {
    #expect(constant("-nan") == .double(.nan))
    #expect(constant("-nanf") == .float(.nan))
    let divided = try bound("fee == 0.0 / 0.0")
    #expect(try QueryPredicate(parsing: "\(divided)") == divided.named)
  }

  @Test func `fractions`() {
    #expect(constant("1.5") == .double(1.5))
    #expect(constant("10.") == .double(10))
    #expect(constant(".5") == .double(0.5))
    #expect(constant("-.5") == .double(-0.5))
    #expect(constant("1e3") == .double(1000))
    #expect(constant("1.e3") == .double(1000))
    #expect(constant("1E-3") == .double(0.001))
    #expect(constant("-0.0") == .double(-0.0))
    #expect(constant("3f") == .float(3))
    #expect(constant("1.5f") == .float(1.5))
    #expect(constant("0.1f") == .float(0.1))
    #expect(constant("1e") == nil)
    #expect(constant("1.5x") == nil)
    #expect(constant("1.5.2") == nil)
    #expect(constant(".") == nil)
  }

  @Test func `infinity and NaN`() {
    for text in ["inf", "INFINITY", "+inf", "Infinity"] {
      #expect(constant(text) == .double(.infinity))
    }
    for text in ["-inf", "-INFINITY"] { #expect(constant(text) == .double(-.infinity)) }
    #expect(constant("NaN") == .double(.nan))
    #expect(constant("+inff") == .float(.infinity))
    #expect(constant("-infinityf") == .float(-.infinity))
    #expect(constant("+nanf") == .float(.nan))
    #expect(constant("+true") == nil)
  }

  @Test func `booleans and null in any letter case`() {
    for text in ["true", "TRUE", "True", "YES", "yes"] { #expect(constant(text) == .bool(true)) }
    for text in ["false", "No", "nO"] { #expect(constant(text) == .bool(false)) }
    for text in ["null", "NULL", "nil", "Nil"] { #expect(constant(text) == .null) }
  }

  @Test func `strings decode their escapes`() {
    #expect(constant("'a\"b'") == .string("a\"b"))
    #expect(constant("\"a'b\"") == .string("a'b"))
    #expect(constant(#"'\'\"\\\/\b\f\n\r\t\0'"#) == .string("'\"\\/\u{8}\u{c}\n\r\t\0"))
    #expect(constant(#"'Al\u006da'"#) == .string("Alma"))
    #expect(constant(#"'\uD83D\uDEA2'"#) == .string("🚢"))
    #expect(constant("'a\nb'") == .string("a\nb"))
    #expect(constant("''") == .string(""))
    #expect(constant("'e\u{301}'") == .string("e\u{301}"))
    #expect(constant("'\u{301}'") == .string("\u{301}"))
    for wrong in [
      #"'\x'"#, #"'\u12'"#, #"'\uD83D'"#, #"'\uDEA2'"#, #"'\uD83Dx'"#, "'a", "'", #"'\'"#,
      #"'\u00g0'"#,
    ] {
      #expect(constant(wrong) == nil, "\(wrong)")
    }
  }

  @Test func `bytes and base64`() {
    #expect(constant("bin('ü')") == .data(Data("ü".utf8)))
    #expect(constant("BINARY(B64'AP8=')") == .data(Data([0, 255])))
    #expect(constant("bin('')") == .data(Data()))
    #expect(constant("B64'QWxtYQ=='") == .string("Alma"))
    #expect(constant("B64'AP8='") == nil)
    #expect(constant("B64'A'") == nil)
    #expect(constant("bin(3)") == nil)
    #expect(constant("bin('a'") == nil)
  }

  @Test func `dates`() {
    #expect(constant("T0:0") == .date(Timestamp(seconds: 0)))
    #expect(constant("T-1:-500000000") == .date(Timestamp(seconds: -2, nanoseconds: 500_000_000)))
    #expect(constant("T0:-1") == .date(Timestamp(seconds: 0, nanoseconds: -1)))
    #expect(
      constant("T9223372036854775807:999999999")
        == .date(
          Timestamp(seconds: .max, nanoseconds: 999_999_999)))
    #expect(constant("T-9223372036854775808:0") == .date(Timestamp(seconds: .min)))
    #expect(constant("1970-1-1@0:0:1") == .date(Timestamp(seconds: 1)))
    #expect(constant("1970-01-01T00:00:01Z") == .date(Timestamp(seconds: 1)))
    #expect(constant("1969-12-31T23:59:59:5") == .date(Timestamp(seconds: -1, nanoseconds: 5)))
    for wrong in [
      "T1:1000000000", "T1:-1", "T-1:1", "T1:", "T9223372036854775808:0", "2001-02-29T00:00:00",
      "2001-01-01T24:00:00", "2001-01-01", "2001-01-01T00:00", "2001-13-01T00:00:00",
      "2001-01-01T00:00:00:1000000000", "99999999999999999999-01-01T00:00:00",
    ] {
      #expect(constant(wrong) == nil, "\(wrong)")
    }
  }

  @Test func `identifiers`() throws {
    let id = try ObjectId(string: "5f0000000000000000000003")
    #expect(constant("oid(5f0000000000000000000003)") == .objectId(id))
    #expect(constant("OID( 5F0000000000000000000003 )") == .objectId(id))
    #expect(constant("oid (5f0000000000000000000003)") == .objectId(id))
    let uuid = try #require(UUID(uuidString: "e1e2e3e4-0000-0000-0000-00000000000f"))
    #expect(constant("uuid(E1E2E3E4-0000-0000-0000-00000000000f)") == .uuid(uuid))
    for wrong in [
      "oid()", "oid(5f)", "oid(", "uuid(1)", "uuid('x')", "oid(5f000000000000000000000g)",
    ] {
      #expect(constant(wrong) == nil, "\(wrong)")
    }
  }

  @Test func `reserved words are names where only a name can stand`() throws {
    for text in [
      "beginswith == 1", "like LIKE 'x'", "contains CONTAINS 'x'", "#in == 1", "#and == 1",
    ] {
      let predicate = try QueryPredicate(parsing: text)
      guard case .comparison(let comparison) = predicate, case .property = comparison.left else {
        Issue.record("\(text) became \(predicate)")
        continue
      }
      #expect(try QueryPredicate(parsing: "\(predicate)") == predicate)
    }
    for text in ["oid == 1", "bin == 1", "obj IN {1}", "geoBox == null", "first == 1", "size > 3"] {
      #expect(throws: Never.self) { try QueryPredicate(parsing: text) }
    }
    for text in [
      "and == 1", "null.a == 1", "a.null == 1", "in == 1", "a. == 1", ".a == 1", "a..b == 1",
    ] {
      #expect(throws: CadastrePredicate.QueryPredicateError.self) {
        try QueryPredicate(parsing: text)
      }
    }
  }

  @Test func `blanks may be missing round symbols`() throws {
    let expected = try QueryPredicate(parsing: "(a == 1 AND NOT b <= 2) OR c != 'x'")
    #expect(try QueryPredicate(parsing: "(a==1&&!b<=2)||c<>'x'") == expected)
    #expect(try QueryPredicate(parsing: "\t(a\r\n=1 and not\nb=<2)\u{A0}or c!='x' ") == expected)
  }
}
