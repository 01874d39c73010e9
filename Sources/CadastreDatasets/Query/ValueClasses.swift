import CadastreFormatting
package import CadastreModel

/// Classes of values, for the colours of a map.
///
/// Numbers with more different values than there are categories are divided in intervals with about
/// equal numbers of values. Other values are categories: the most frequent ones, and the rest.
package struct ValueClasses {
  /// The label of each class.
  package private(set) var labels: [String] = []
  /// For each value the index of its class; nil for null, and for values of no class.
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
    var counts: [Value: Int] = [:]
    for value in values where !value.isNull { counts[value.groupingKey, default: 0] += 1 }
    let frequent = counts.sorted { first, second in
      first.value != second.value
        ? first.value > second.value : first.key.ordering(second.key) == .ascending
    }.prefix(count).map(\.key)
    let positions = Dictionary(uniqueKeysWithValues: zip(frequent, frequent.indices))
    indexes = values.map { positions[$0.groupingKey] }
    labels = frequent.map { printable(FieldText.plain(.value($0)).prefix(40)) }
  }
}
