package import CadastreModel
package import CadastrePredicate
import Foundation

/// An oracle of orders: compares texts character by character, and values one by one.
package struct ExpectedOrder {
  private let collation: Collation
  private let nulls: NullOrder?
  private let isAscending: Bool

  /// Creates an oracle.
  package init(isAscending: Bool, collation: Collation, nulls: NullOrder?) {
    self.isAscending = isAscending
    self.collation = collation
    self.nulls = nulls
  }

  /// Returns whether one value sorts before another one; nil is a value behind a null link.
  package func precedes(_ first: Value?, _ second: Value?) -> Bool {
    if let nulls {
      let places = [first, second].map { $0 ?? .null == .null ? 1 : 0 }
      if places.contains(1) {
        return nulls == .first ? places[0] > places[1] : places[0] < places[1]
      }
    }
    return isAscending ? isLess(first, second) : isLess(second, first)
  }

  private func isLess(_ first: Value?, _ second: Value?) -> Bool {
    guard let first, let second else { return first != nil && second == nil }
    if case .string(let one) = first, case .string(let other) = second {
      return isLess(Substring(one), Substring(other))
    }
    return first.ordering(second) == .ascending
  }

  private func isLess(_ first: Substring, _ second: Substring) -> Bool {
    if collation == .localized {
      return first.localizedStandardCompare(second) == .orderedAscending
    }
    var (one, other) = (Array(folded(first).unicodeScalars), Array(folded(second).unicodeScalars))
    while let left = one.first, let right = other.first {
      if collation.contains(.numeric), isDigit(left), isDigit(right) {
        let (number, otherNumber) = (takeNumber(&one), takeNumber(&other))
        if number != otherNumber { return number < otherNumber }
        continue
      }
      // Beside other characters, every number sorts as a zero.
      let keys = [left, right].map { collation.contains(.numeric) && isDigit($0) ? "0" : $0 }
      if keys[0] != keys[1] { return keys[0] < keys[1] }
      one.removeFirst()
      other.removeFirst()
    }
    return one.isEmpty && !other.isEmpty
  }

  private func folded(_ text: Substring) -> String {
    var options: StringOptions = []
    if collation.contains(.caseInsensitive) { options.insert(.caseInsensitive) }
    if collation.contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
    return String(decoding: StringFolding.folded(String(text), options), as: UTF8.self)
  }

  private func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private func takeNumber(_ scalars: inout [Unicode.Scalar]) -> Int {
    let digits = scalars.prefix(while: isDigit)
    scalars.removeFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int($1.value) - 48 }
  }
}

extension ExpectedOrder {
  /// Returns elements in order; those that are equal in it keep their order.
  package func sorted<Element>(_ elements: [Element], by value: (Element) -> Value?) -> [Element] {
    elements.enumerated().sorted { first, second in
      let (one, other) = (value(first.element), value(second.element))
      if precedes(one, other) { return true }
      return !precedes(other, one) && first.offset < second.offset
    }.map(\.element)
  }
}
