import CadastreGeometry
package import CadastreModel
package import CadastrePredicate
import Foundation

/// The rules of the predicate language for values, written from the pages Predicates and Equality of the documentation.
package enum ReferenceRules {
  /// Returns whether a comparison of two values holds.
  ///
  /// - Parameters:
  ///   - first: The value on the left.
  ///   - operation: The operator; one of a single value on the right.
  ///   - second: The value on the right.
  ///   - options: The options of text.
  ///   - areStored: Whether both values are stored; a NaN of a float or a double is equal to no constant.
  ///   - areMixed: Whether one value is of any type; null is before texts only among properties of texts.
  /// - Returns: Whether it holds.
  package static func holds(
    _ first: Value, _ operation: ComparisonOperator, _ second: Value, _ options: StringOptions = [],
    areStored: Bool = false, areMixed: Bool = false
  ) -> Bool {
    let order = { self.order(first, second, isNullFirst: !areMixed) }
    switch operation {
    case .equal: return areEqual(first, second, options, areStored: areStored)
    case .notEqual: return !areEqual(first, second, options, areStored: areStored)
    case .less: return order().map { $0 < 0 } ?? false
    case .lessOrEqual: return order().map { $0 <= 0 } ?? false
    case .greater: return order().map { $0 > 0 } ?? false
    case .greaterOrEqual: return order().map { $0 >= 0 } ?? false
    case .beginsWith, .endsWith, .contains, .like, .matches, .text:
      return ReferenceText.holds(first, operation, second, options)
    case .isIn, .between: return false
    }
  }

  // MARK: Equality

  /// Returns whether two values are equal.
  package static func areEqual(
    _ first: Value, _ second: Value, _ options: StringOptions = [], areStored: Bool
  ) -> Bool {
    if !options.isEmpty, let one = ReferenceText.bytes(first, options),
      let other = ReferenceText.bytes(second, options)
    {
      return first.type == second.type && one == other
    }
    if !areStored, isBinaryNaN(first) || isBinaryNaN(second) { return false }
    if isNaN(first) || isNaN(second) { return isNaN(first) && isNaN(second) }
    if let order = numericOrder(first, second) { return order == 0 }
    switch (first, second) {
    case (.null, .null): return true
    case (.bool(let one), .bool(let other)): return one == other
    case (.string(let one), .string(let other)): return Array(one.utf8) == Array(other.utf8)
    case (.data(let one), .data(let other)): return Array(one) == Array(other)
    case (.date(let one), .date(let other)): return compare(date(one), date(other)) == 0
    case (.objectId(let one), .objectId(let other)): return one.bytes == other.bytes
    case (.uuid(let one), .uuid(let other)): return one.bytes == other.bytes
    case (.geometry(let one), .geometry(let other)): return one == other
    case (.link(let one), .link(let other)): return one == other
    case (.object(let one), .object(let other)):
      return Array(one.className.utf8) == Array(other.className.utf8) && one.key == other.key
    case (.list(let one), .list(let other)):
      return one.count == other.count
        && zip(one, other).allSatisfy { areEqual($0, $1, areStored: true) }
    case (.map(let one), .map(let other)):
      return one.entries.count == other.entries.count
        && zip(one.entries, other.entries).allSatisfy {
          Array($0.key.utf8) == Array($1.key.utf8) && areEqual($0.value, $1.value, areStored: true)
        }
    default: return false
    }
  }

  /// Returns whether a stored list or set is equal to constants: one by one, or each to some other.
  package static func areEqual(_ found: [Value], _ expected: [Value], inOrder: Bool) -> Bool {
    func equal(_ one: Value, _ other: Value) -> Bool { areEqual(one, other, areStored: false) }
    if inOrder {
      return found.count == expected.count && zip(found, expected).allSatisfy(equal)
    }
    return found.allSatisfy { one in expected.contains { equal(one, $0) } }
      && expected.allSatisfy { one in found.contains { equal($0, one) } }
  }

  // MARK: Order

  /// Returns the sign of the order of two values; nil where they have none.
  private static func order(_ first: Value, _ second: Value, isNullFirst: Bool) -> Int? {
    switch (first, second) {
    case (.null, .null): return 0
    case (.null, .string): return isNullFirst ? -1 : nil
    case (.string, .null): return isNullFirst ? 1 : nil
    default: break
    }
    if isBinaryNaN(first) || isBinaryNaN(second) { return nil }
    if let order = numericOrder(first, second) { return order }
    switch (first, second) {
    case (.bool, .bool), (.string, .string), (.data, .data), (.date, .date), (.objectId, .objectId),
      (.uuid, .uuid), (.geometry, .geometry):
      return totalOrder(first, second)
    default: return nil
    }
  }

  /// Returns the sign of the order of two values of any types, by which results are sorted and `@min` and `@max` choose.
  package static func totalOrder(_ first: Value, _ second: Value) -> Int {
    if let order = numericOrder(first, second) { return order }
    switch (first, second) {
    case (.bool(let one), .bool(let other)): return compare([one ? 1 : 0], [other ? 1 : 0])
    case (.string(let one), .string(let other)): return compare(Array(one.utf8), Array(other.utf8))
    case (.data(let one), .data(let other)): return compare(Array(one), Array(other))
    case (.date(let one), .date(let other)): return compare(date(one), date(other))
    case (.objectId(let one), .objectId(let other)): return compare(one.bytes, other.bytes)
    case (.uuid(let one), .uuid(let other)): return compare(one.bytes, other.bytes)
    case (.geometry(let one), .geometry(let other)): return compare(one.wkb(), other.wkb())
    case (.link(let one), .link(let other)): return compare([one.rawValue], [other.rawValue])
    case (.object(let one), .object(let other)):
      let byClass = compare(Array(one.className.utf8), Array(other.className.utf8))
      return byClass == 0 ? compare([one.key.rawValue], [other.key.rawValue]) : byClass
    case (.list(let one), .list(let other)):
      let different = zip(one, other).lazy.map { totalOrder($0, $1) }.first { $0 != 0 }
      return different ?? compare([one.count], [other.count])
    case (.map(let one), .map(let other)):
      let different = zip(one.entries, other.entries).lazy.map { one, other in
        let byKey = compare(Array(one.key.utf8), Array(other.key.utf8))
        return byKey == 0 ? totalOrder(one.value, other.value) : byKey
      }.first { $0 != 0 }
      return different ?? compare([one.entries.count], [other.entries.count])
    default: return compare([rank(first)], [rank(second)])
    }
  }

  private static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal: 2
    case .string: 3
    case .data: 4
    case .date: 5
    case .objectId: 6
    case .uuid: 7
    case .geometry: 8
    case .link, .object: 9
    case .list: 10
    case .map: 11
    }
  }

  /// Compares two sequences element by element; a part of a longer sequence is before it.
  private static func compare<Element: Comparable>(_ first: [Element], _ second: [Element]) -> Int {
    for (one, other) in zip(first, second) where one != other { return one < other ? -1 : 1 }
    return (first.count - second.count).signum()
  }

  private static func date(_ timestamp: Timestamp) -> [Int64] {
    [timestamp.seconds, timestamp.subsecond]
  }

  // MARK: Numbers

  private static func isBinaryNaN(_ value: Value) -> Bool {
    switch value {
    case .float(let number): number.isNaN
    case .double(let number): number.isNaN
    default: false
    }
  }

  private static func isNaN(_ value: Value) -> Bool {
    if case .decimal(let number) = value { number.isNaN } else { isBinaryNaN(value) }
  }

  private static func isNumber(_ value: Value) -> Bool { rank(value) == 2 }

  /// Returns the sign of the order of two numbers by their exact values, NaN first; nil for other values.
  private static func numericOrder(_ first: Value, _ second: Value) -> Int? {
    guard isNumber(first), isNumber(second) else { return nil }
    if isNaN(first) || isNaN(second) {
      return (isNaN(first) ? 0 : 1) - (isNaN(second) ? 0 : 1)
    }
    switch (first, second) {
    case (.int(let one), .int(let other)): return compare([one], [other])
    default: break
    }
    // A double has the exact value of these numbers.
    if let one = exactDouble(first), let other = exactDouble(second) {
      return compare([one], [other])
    }
    return ExactNumber(first).order(ExactNumber(second))
  }

  private static func exactDouble(_ value: Value) -> Double? {
    if case .int(let number) = value, number.magnitude > 1 << 53 { return nil }
    return double(value)
  }

  // MARK: Calculations

  /// Returns the result of an operation on two numbers, on two dates, or on a date and a number of seconds; null where
  /// there is none.
  package static func result(
    _ first: Value, _ operation: Arithmetic.Operation, _ second: Value
  ) -> Value {
    switch (first, second) {
    case (.int(let one), .int(let other)): return result(one, operation, other)
    case (.date(let one), .date(let other)):
      return operation == .subtract ? .double(one.seconds(since: other)) : .null
    case (.date(let date), let seconds):
      switch operation {
      case .add: return later(date, by: seconds, 1)
      case .subtract: return later(date, by: seconds, -1)
      case .multiply, .divide: return .null
      }
    case (let seconds, .date(let date)):
      return operation == .add ? later(date, by: seconds, 1) : .null
    case (.decimal, _), (_, .decimal):
      guard let one = decimal(first), let other = decimal(second) else { return .null }
      switch operation {
      case .add: return .decimal(one + other)
      case .subtract: return .decimal(one - other)
      case .multiply: return .decimal(one * other)
      case .divide: return .decimal(one / other)
      }
    default:
      guard let one = double(first), let other = double(second) else { return .null }
      return .double(result(one, operation, other))
    }
  }

  /// The date some seconds later, or earlier with the factor -1; null where the seconds are no number.
  private static func later(_ date: Timestamp, by seconds: Value, _ factor: Int64) -> Value {
    switch seconds {
    case .int(let whole):
      let (product, isTooLarge) = whole.multipliedReportingOverflow(by: factor)
      return isTooLarge
        ? .null : date.advanced(bySeconds: product).map(Value.date) ?? .null
    case .decimal(let number):
      return date.advanced(bySeconds: number.doubleValue * Double(factor)).map(Value.date) ?? .null
    default:
      guard let number = double(seconds) else { return .null }
      return date.advanced(bySeconds: number * Double(factor)).map(Value.date) ?? .null
    }
  }

  /// The result for integers: a double where it is beyond 64 bits, null for a division by zero.
  private static func result(
    _ first: Int64, _ operation: Arithmetic.Operation, _ second: Int64
  ) -> Value {
    let (one, other) = (Int128(first), Int128(second))
    let exact: Int128
    switch operation {
    case .add: exact = one + other
    case .subtract: exact = one - other
    case .multiply: exact = one * other
    case .divide:
      if other == 0 { return .null }
      exact = one / other
    }
    if let short = Int64(exactly: exact) { return .int(short) }
    return .double(result(Double(first), operation, Double(second)))
  }

  private static func result(
    _ first: Double, _ operation: Arithmetic.Operation, _ second: Double
  ) -> Double {
    switch operation {
    case .add: first + second
    case .subtract: first - second
    case .multiply: first * second
    case .divide: first / second
    }
  }

  private static func double(_ value: Value) -> Double? {
    switch value {
    case .int(let number): Double(number)
    case .float(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  private static func decimal(_ value: Value) -> Decimal128? {
    switch value {
    case .decimal(let number): number
    case .int(let number): Decimal128(number)
    case .float(let number): Decimal128(number)
    case .double(let number): Decimal128(number)
    default: nil
    }
  }

  /// Returns the aggregate of elements, without nulls and NaN; sums and averages are of numbers only.
  package static func aggregate(
    _ operation: Aggregate.Operation, _ elements: [Value], isDecimal: Bool
  ) -> Value {
    let values = elements.filter { rank($0) != 0 && !isNaN($0) }
    let numbers = values.filter(isNumber)
    let sum = numbers.reduce(isDecimal ? .decimal(0) : .int(0)) { result($0, .add, $1) }
    switch operation {
    case .min:
      return values.reduce(Value.null) { least, value in
        rank(least) == 0 || totalOrder(value, least) < 0 ? value : least
      }
    case .max:
      return values.reduce(Value.null) { greatest, value in
        rank(greatest) == 0 || totalOrder(value, greatest) > 0 ? value : greatest
      }
    case .sum: return sum
    case .average:
      if numbers.isEmpty { return .null }
      if case .int(let sum) = sum { return .double(Double(sum) / Double(numbers.count)) }
      return result(sum, .divide, .int(Int64(numbers.count)))
    }
  }
}

/// A number other than NaN with all its decimal digits; each finite float and double has finitely many.
private struct ExactNumber {
  /// -1 or 1.
  private var sign: Int
  /// The power of ten of the first digit; infinity has one above all others.
  private var exponent: Int
  /// The digits, without zeros at the start and at the end; none of zero.
  private var digits: [UInt8]

  init(_ value: Value) {
    switch value {
    case .int(let number):
      self.init(number < 0, "\(number.magnitude)", scale: 0)
    case .decimal(let number) where number.isFinite:
      self.init(number.isNegative, "\(number.coefficient)", scale: number.exponent)
    case .decimal(let number): self.init(infinite: number.isNegative)
    case .float(let number): self.init(Double(number))
    case .double(let number): self.init(number)
    default: self.init(false, "", scale: 0)
    }
  }

  private init(_ number: Double) {
    guard number.isFinite else {
      self.init(infinite: number < 0)
      return
    }
    // The greatest double has 309 digits before the point, the least 1074 after it.
    var buffer = [CChar](repeating: 0, count: 1400)
    _ = withVaList([number.magnitude]) { vsnprintf(&buffer, 1400, "%.1074f", $0) }
    let digits = buffer.lazy.map { UInt8(bitPattern: $0) }.filter {
      $0 != 0 && $0 != UInt8(ascii: ".")
    }
    self.init(number < 0, String(decoding: Array(digits), as: UTF8.self), scale: -1074)
  }

  private init(infinite isNegative: Bool) {
    (sign, exponent, digits) = (isNegative ? -1 : 1, .max, [1])
  }

  private init(_ isNegative: Bool, _ text: String, scale: Int) {
    sign = isNegative ? -1 : 1
    let significant = text.utf8.drop { $0 == UInt8(ascii: "0") }
    exponent = scale + significant.count - 1
    digits = Array(significant)
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
  }

  /// The sign of the order of two numbers.
  func order(_ other: ExactNumber) -> Int {
    if digits.isEmpty || other.digits.isEmpty || sign != other.sign {
      return (signum - other.signum).signum()
    }
    if exponent != other.exponent { return exponent < other.exponent ? -sign : sign }
    for (one, other) in zip(digits, other.digits) where one != other {
      return one < other ? -sign : sign
    }
    return (digits.count - other.digits.count).signum() * sign
  }

  private var signum: Int { digits.isEmpty ? 0 : sign }
}
