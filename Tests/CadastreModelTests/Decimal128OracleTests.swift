import CadastreModel
import Foundation
import Testing

/// Comparison with the results of other libraries; `CADASTRE_DECIMAL_CASES` is the path of a file
/// with more cases.
@Suite struct Decimal128OracleTests {
  @Test(arguments: ["decimal128-intel.txt", "decimal128-python.txt"])
  func `results have the bits of other libraries' results`(name: String) throws {
    let file =
      ProcessInfo.processInfo.environment["CADASTRE_DECIMAL_CASES"].map { URL(filePath: $0) }
      ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let cases = lines.filter { !$0.hasPrefix("#") }
    let failures = cases.compactMap(DecimalCases.failure)

    #expect(cases.count >= 600)
    #expect(failures.isEmpty, "\(failures.count) of \(cases.count), first \(failures.prefix(3))")
  }
}

/// Operations on decimals and their results in another library, one per line.
///
///     add 3040…07 3040…08 3040…0f
///     parse 1.50 303c…96
///
/// Numbers are the 128 bits of the binary encoding in hexadecimal.
private enum DecimalCases {
  /// Returns the failure of a case; nil if our result has the same bits.
  static func failure(of line: Substring) -> String? {
    let words = line.split(separator: " ")
    guard words.count >= 3, let expected = words.last else { return "unreadable: \(line)" }
    let result = result(of: words) ?? "nothing"
    return result == expected ? nil : "\(line): found \(result)"
  }

  private static func result(of words: [Substring]) -> String? {
    if words[0] == "parse" { return Decimal128(parsing: String(words[1])).map(hexadecimal) }
    guard let first = number(words[1]) else { return nil }
    switch words[0] {
    case "print": return plainText(first)
    case "text":
      let text = first.exactText
      // The text must round-trip too.
      let read = Decimal128(parsing: text)
      return read?.hasSameRepresentation(as: first) == true ? text : nil
    case "double": return hexadecimal(first.doubleValue.bitPattern, digitCount: 16)
    case "order":
      return UInt64(words[2], radix: 16).map {
        symbol(Decimal128.ordering(first, Double(bitPattern: $0)))
      }
    default: return number(words[2]).flatMap { result(of: words[0], first, $0) }
    }
  }

  private static func result(
    of operation: Substring, _ first: Decimal128, _ second: Decimal128
  ) -> String? {
    switch operation {
    case "add": hexadecimal(first + second)
    case "subtract": hexadecimal(first - second)
    case "multiply": hexadecimal(first * second)
    case "divide": hexadecimal(first / second)
    case "compare":
      // The other library does not order NaN; our total order does.
      first.isNaN || second.isNaN ? "?" : symbol(Decimal128.ordering(first, second))
    default: nil
    }
  }

  /// Returns the text in the format of Intel's library: sign, coefficient and exponent.
  private static func plainText(_ number: Decimal128) -> String {
    let sign = number.isNegative ? "-" : "+"
    if number.isNaN { return sign + (number.isSignaling ? "SNaN" : "NaN") }
    if number.isInfinite { return sign + "Inf" }
    return "\(sign)\(number.coefficient)E\(number.exponent < 0 ? "" : "+")\(number.exponent)"
  }

  private static func symbol(_ ordering: ValueOrdering) -> String {
    switch ordering {
    case .ascending: "<"
    case .same: "="
    case .descending: ">"
    }
  }

  private static func number(_ word: Substring) -> Decimal128? {
    UInt128(word, radix: 16).map { Decimal128(bits: $0) }
  }

  private static func hexadecimal(_ number: Decimal128) -> String {
    hexadecimal(number.bits, digitCount: 32)
  }

  private static func hexadecimal(_ bits: some BinaryInteger, digitCount: Int) -> String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: digitCount - digits.count) + digits
  }
}
