import CadastreModel
import Foundation

@testable import CadastreColumnar

/// The comparison of a value with its description in the JSON file of a fixture.
enum ExpectedValue {
  /// Returns whether a value has a description.
  static func matches(_ value: ColumnarValue, _ expected: Any, _ tree: ColumnTree) -> Bool {
    switch (value, tree.node) {
    case (.value(.null), _): expected is NSNull
    case (.value(let value), .leaf(let leaf)): matches(value, expected, leaf)
    case (.record(let values), .group(let members)):
      if let expected = expected as? [String: Any] {
        expected.count == members.count
          && zip(values, members).allSatisfy { value, member in
            expected[member.name].map { matches(value, $0, member) } ?? false
          }
      } else {
        false
      }
    case (.list(let values), .list(let element, _)):
      if let expected = expected as? [Any], expected.count == values.count {
        zip(values, expected).allSatisfy { matches($0, $1, element) }
      } else {
        false
      }
    case (.map(let entries), .map(let key, let value, _)):
      if let expected = expected as? [[Any]], expected.count == entries.count {
        zip(entries, expected).allSatisfy { entry, pair in
          matches(entry.key, pair[0], key)
            && (value.map { matches(entry.value, pair[1], $0) } ?? true)
        }
      } else {
        false
      }
    default: false
    }
  }

  private static func matches(_ value: Value, _ expected: Any, _ leaf: LeafColumn) -> Bool {
    switch (value, leaf.content) {
    case (.bool(let found), _): expected as? Bool == found
    case (.int(let found), _): JSONTree.integer(expected) == found
    case (.double(let found), _):
      JSONTree.number(expected).map { $0.bitPattern == found.bitPattern || $0.isNaN && found.isNaN }
        ?? false
    case (.float(let found), _):
      JSONTree.number(expected).map {
        Float($0).bitPattern == found.bitPattern || $0.isNaN && found.isNaN
      } ?? false
    case (.string(let found), .time(let unit)):
      JSONTree.integer(expected).map { found == time($0, unit) } ?? false
    case (.string(let found), _): text(expected, found)
    case (.data(let found), _): expected as? String == hex(found)
    case (.uuid(let found), _): expected as? String == hex(Data(found.bytes))
    case (.date(let found), .date):
      found == Timestamp(seconds: (JSONTree.integer(expected) ?? .min / 100_000) * 86_400)
    case (.date(let found), .timestamp(let unit)): found == timestamp(expected, unit)
    case (.date(let found), _): found == timestamp(expected, .nanoseconds)
    case (.decimal(let found), _):
      "\(expected)" == found.description
        || Decimal(string: "\(expected)") == Decimal(string: found.description)
    default: false
    }
  }

  private static func text(_ expected: Any, _ found: String) -> Bool {
    guard let expected = expected as? String else { return false }
    return expected.utf8.elementsEqual(found.utf8)
  }

  private static func hex(_ data: Data) -> String {
    "hex:" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func timestamp(_ expected: Any, _ unit: TimeUnit) -> Timestamp {
    let number = JSONTree.integer(expected) ?? .min
    let nanoseconds = Int128(number) * Int128(1_000_000_000 / unit.perSecond)
    var seconds = nanoseconds / 1_000_000_000
    var rest = nanoseconds % 1_000_000_000
    if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000_000) }
    return Timestamp(seconds: Int64(seconds), nanoseconds: Int64(rest))
  }

  private static func time(_ number: Int64, _ unit: TimeUnit) -> String {
    let seconds = Int(number / unit.perSecond)
    let whole = [seconds / 3600, seconds / 60 % 60, seconds % 60]
      .map { String("\(100 + $0)".dropFirst()) }.joined(separator: ":")
    let rest = number % unit.perSecond
    guard rest > 0 else { return whole }
    let digits = "\(unit.perSecond + rest)".dropFirst()
    return whole + "." + digits.reversed().drop { $0 == "0" }.reversed()
  }
}
