import CadastreFormatting
package import CadastreModel

/// Classes of values, for the colours of a map.
///
/// Numbers with more different values than there are categories are divided in intervals with about
/// equal numbers of values. Other values are categories: the most frequent ones, and the rest.
package struct ValueClasses {
  /// The label of each class.
  package private(set) var labels: [String] = []
  /// The index of the class of each value; nil for null, and for values outside of all classes.
  package private(set) var indexes: [Int?] = []
  /// Whether the classes are intervals of numbers in ascending order.
  package let areIntervals: Bool

  /// Divides values in classes.
  ///
  /// - Parameters:
  ///   - values: The values.
  ///   - intervals: The maximum number of intervals of numbers.
  ///   - categories: The maximum number of categories.
  /// - Complexity: O(n log n) for n values.
  package init(_ values: [Value], intervals: Int, categories: Int) {
    let numbers = values.map { value -> Double? in
      guard value.type?.isNumeric == true, let number = value.asDouble, number.isFinite else {
        return nil
      }
      return number
    }
    let sorted = numbers.compactMap(\.self).sorted()
    areIntervals =
      sorted.count == values.count { !$0.isNull } && Set(sorted).count > categories
    if areIntervals {
      divide(numbers, sorted, intervals)
    } else {
      categorize(values, categories)
    }
  }

  private mutating func divide(_ numbers: [Double?], _ sorted: [Double], _ count: Int) {
    var bounds: [Double] = []
    for index in 0..<count {
      let bound = sorted[index * sorted.count / count]
      if bound != bounds.last { bounds.append(bound) }
    }
    indexes = numbers.map { number in
      number.flatMap { number in bounds.lastIndex { $0 <= number } }
    }
    for (index, bound) in bounds.enumerated() {
      let end = index + 1 < bounds.count ? bounds[index + 1] : sorted[sorted.count - 1]
      labels.append("\(FieldText.coordinate(bound)) – \(FieldText.coordinate(end))")
    }
  }

  private mutating func categorize(_ values: [Value], _ count: Int) {
    var found: [ValueKey: (value: Value, count: Int)] = [:]
    for value in values where !value.isNull {
      found[ValueKey(value), default: (value, 0)].count += 1
    }
    let frequent = found.sorted { first, second in
      first.value.count != second.value.count
        ? first.value.count > second.value.count
        : first.value.value.ordering(second.value.value) == .ascending
    }.prefix(count)
    let positions = Dictionary(
      uniqueKeysWithValues: zip(frequent, frequent.indices).map { ($0.key, $1) })
    indexes = values.map { positions[ValueKey($0)] }
    labels = frequent.map { printable(FieldText.plain(.value($0.value.value)).prefix(40)) }
  }
}
