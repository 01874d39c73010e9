package import CadastreModel
import Foundation

/// How an order compares texts; without options by their bytes.
///
///     let files = realm.objects(File.self).sorted(by: [
///       SortDescriptor(keyPath: "name", collation: [.caseInsensitive, .numeric])
///     ])
///
/// Texts that are equal under the options keep their order.
public struct Collation: OptionSet, Hashable, Sendable {
  /// The set bits.
  public let rawValue: UInt8
  /// Creates a set of options from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Ignores the case of all letters of Unicode, by the mappings of one scalar to one scalar; as text `[c]`.
  public static let caseInsensitive = Collation(rawValue: 1)
  /// Ignores accents and other combining marks; as text `[d]`.
  public static let diacriticInsensitive = Collation(rawValue: 2)
  /// Compares runs of the digits 0 to 9 as whole numbers, so that "file2" precedes "file10"; as text `[n]`.
  public static let numeric = Collation(rawValue: 4)
  /// Compares as `localizedStandardCompare` of Foundation in the locale of the process, without other options;
  /// as text `[localized]`.
  public static let localized = Collation(rawValue: 8)

  /// Parses the letters or the word in brackets; nil for other text.
  package init?(_ word: String) {
    if word.lowercased() == "localized" {
      self = .localized
      return
    }
    self = []
    for letter in word.lowercased() {
      switch letter {
      case "c": insert(.caseInsensitive)
      case "d": insert(.diacriticInsensitive)
      case "n": insert(.numeric)
      default: return nil
      }
    }
    if isEmpty { return nil }
  }

  /// The options as text after a direction: `[cdn]`, `[localized]`, or an empty text.
  package var suffix: String {
    if contains(.localized) { return "[localized]" }
    let letters =
      (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
      + (contains(.numeric) ? "n" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }

  /// Returns the sort key of a value: ``ordering(_:_:)`` of two sort keys is the order of the values in the collation.
  func key(of value: Value) -> Value {
    guard case .string(let text) = value, !contains(.localized) else { return value }
    var options: StringOptions = []
    if contains(.caseInsensitive) { options.insert(.caseInsensitive) }
    if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
    let bytes = StringFolding.folded(text, options)
    return .data(Data(contains(.numeric) ? Self.withNumbers(bytes) : bytes))
  }

  /// Returns the order of two sort keys.
  func ordering(_ first: Value, _ second: Value) -> ValueOrdering {
    guard contains(.localized), case .string(let first) = first, case .string(let second) = second
    else { return first.ordering(second) }
    return switch first.localizedStandardCompare(second) {
    case .orderedAscending: .ascending
    case .orderedSame: .same
    case .orderedDescending: .descending
    }
  }

  /// Replaces each run of digits by a digit, the number of the significant digits, and those digits.
  private static func withNumbers(_ bytes: [UInt8]) -> [UInt8] {
    let zero = UInt8(ascii: "0")
    func isDigit(_ byte: UInt8) -> Bool { zero...zero + 9 ~= byte }
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      guard isDigit(bytes[index]) else {
        result.append(bytes[index])
        index += 1
        continue
      }
      let end = bytes[index...].firstIndex { !isDigit($0) } ?? bytes.count
      let digits = bytes[index..<end].drop { $0 == zero }
      result.append(zero)
      for shift in stride(from: 24, through: 0, by: -8) {
        result.append(UInt8(truncatingIfNeeded: digits.count >> shift))
      }
      result += digits
      index = end
    }
    return result
  }
}

/// The position of null in an order.
public enum NullOrder: String, Hashable, Sendable {
  /// Before all values.
  case first = "FIRST"
  /// After all values.
  case last = "LAST"

  /// The position in the opposite order.
  package var reversed: NullOrder { self == .first ? .last : .first }
}

/// The comparison of values by one criterion of an order.
package struct SortRule: Hashable, Sendable {
  /// Whether the order is ascending.
  package let isAscending: Bool
  /// How texts are compared.
  private let collation: Collation
  /// The position of null and of values behind a null link.
  ///
  /// Nil is the default: in ascending order null is first and values behind a null link are last, and descending order
  /// is the reverse.
  private let nulls: NullOrder?

  /// Creates the comparison by a direction, a collation and a position of null.
  init(isAscending: Bool, collation: Collation, nulls: NullOrder?) {
    self.isAscending = isAscending
    self.collation = collation
    self.nulls = nulls
  }

  /// Whether values are in the order of `Value.ordering`, or in its reverse.
  package var isPlain: Bool { collation.isEmpty && nulls == nil }

  /// Returns the sort key of a value, which ``ordering(_:_:)`` compares.
  package func key(of value: Value) -> Value {
    collation.isEmpty ? value : collation.key(of: value)
  }

  /// Returns the order of two sort keys; nil is a value behind a null link.
  package func ordering(_ first: Value?, _ second: Value?) -> ValueOrdering {
    if let nulls {
      let (isFirstNull, isSecondNull) = (first?.isNull ?? true, second?.isNull ?? true)
      if isFirstNull || isSecondNull {
        if isFirstNull == isSecondNull { return .same }
        return isFirstNull == (nulls == .first) ? .ascending : .descending
      }
    }
    let ordering: ValueOrdering =
      switch (first, second) {
      case (let first?, let second?):
        collation.isEmpty ? first.ordering(second) : collation.ordering(first, second)
      case (nil, nil): .same
      case (nil, _): .descending
      case (_, nil): .ascending
      }
    return isAscending ? ordering : ordering.reversed
  }
}
