package import CadastreModel
package import CadastreStore

/// The minimum, maximum, sum and average of the values of each of several groups.
///
/// The results equal those of an ``Aggregation`` for each group, to which the values are added in the same
/// order. Stored whole numbers and fractions are added without boxing them.
package struct GroupedAggregation {
  /// The extremes and the sum of a group of numbers.
  fileprivate struct Total<Number, Sum> {
    var least: Number
    var greatest: Number
    var sum: Sum
    var count = 0
  }

  /// The array that has the groups.
  private enum Form { case integers, fractions, values }

  private let type: PropertyType
  private let form: Form
  private var integers: [Total<Int64, Int128>] = []
  private var fractions: [Total<Double, Double>] = []
  private var values: [Aggregation] = []

  /// Creates aggregations of no groups yet.
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - isStored: Whether all values are of the type, as in a column. Calculations may give others: a sum of
  ///     whole numbers that overflows is a fraction.
  package init(of type: PropertyType, isStored: Bool) {
    self.type = type
    form =
      switch type {
      case .int where isStored: .integers
      case .double where isStored, .float where isStored: .fractions
      default: .values
      }
  }

  /// Adds a group without values.
  package mutating func addGroup() {
    switch form {
    case .integers: integers.append(Total(least: .max, greatest: .min, sum: 0))
    case .fractions: fractions.append(Total(least: .infinity, greatest: -.infinity, sum: 0))
    case .values: values.append(Aggregation(of: type))
    }
  }

  /// Adds the values of some rows of a stored column to their groups.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - rows: The rows; none is null.
  ///   - groups: The group of each row, at its row number.
  package mutating func add(_ column: BatchColumn, _ rows: RowSet, of groups: [Int32]) {
    switch form {
    case .integers:
      column.withIntegers { numbers in
        for row in rows { integers[Int(groups[row])].add(numbers[row]) }
      }
    case .fractions:
      column.withDoubles { numbers in
        for row in rows { fractions[Int(groups[row])].add(numbers[row]) }
      }
    case .values:
      for row in rows { values[Int(groups[row])].add(column.value(row)) }
    }
  }

  /// Adds the values of some rows of a column to the only group of an aggregation whose values are not stored.
  package mutating func add(_ column: BatchColumn, _ rows: RowSet) { values[0].add(column, rows) }

  /// Adds a value to a group; null and NaN are ignored.
  package mutating func add(_ value: Value, to group: Int) {
    switch form {
    case .integers: if case .int(let number) = value { integers[group].add(number) }
    case .fractions: if let number = value.doubleValue { fractions[group].add(number) }
    case .values: values[group].add(value)
    }
  }

  /// Returns the aggregation of a group.
  package func aggregation(of group: Int) -> Aggregation {
    var aggregation = Aggregation(of: type)
    switch form {
    case .integers:
      let total = integers[group]
      guard total.count > 0 else { break }
      aggregation.extend(.int(total.least))
      aggregation.extend(.int(total.greatest))
      aggregation.add(whole: total.sum, count: total.count)
    case .fractions:
      let total = fractions[group]
      guard total.count > 0 else { break }
      for number in [total.least, total.greatest] {
        aggregation.extend(type == .float ? .float(Float(number)) : .double(number))
      }
      aggregation.replace(fraction: total.sum, adding: total.count)
    case .values: return values[group]
    }
    return aggregation
  }
}

extension GroupedAggregation.Total<Int64, Int128> {
  @inline(__always)
  fileprivate mutating func add(_ number: Int64) {
    sum += Int128(number)
    count += 1
    if number < least { least = number }
    if number > greatest { greatest = number }
  }
}

extension GroupedAggregation.Total<Double, Double> {
  @inline(__always)
  fileprivate mutating func add(_ number: Double) {
    guard !number.isNaN else { return }
    sum += number
    count += 1
    if number < least { least = number }
    if number > greatest { greatest = number }
  }
}
