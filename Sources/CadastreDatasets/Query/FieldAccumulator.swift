import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore

/// The state of the aggregates of a field in each group.
struct FieldAccumulator {
  /// The field.
  let field: AggregateField
  private let isSingle: Bool
  /// The number of values that are not null, by group.
  private var present: [Int] = []
  private var totals: GroupedAggregation
  private var distinct = DistinctCounts()
  private var numbers: [[Double]] = []
  private var deviations: [Deviation] = []
  private var ends: [(first: Value, last: Value)] = []

  /// Creates the state without groups.
  ///
  /// - Parameters:
  ///   - field: The field.
  ///   - isSingle: Whether there is one group only.
  init(_ field: AggregateField, isSingle: Bool) {
    self.field = field
    self.isSingle = isSingle
    let isField = if case .field = field.source { true } else { false }
    totals = GroupedAggregation(of: field.type, isStored: isField && !isSingle)
  }

  /// Adds a group without values.
  mutating func addGroup() {
    present.append(0)
    if field.needs.contains(.totals) { totals.addGroup() }
    if field.needs.contains(.distinct) { distinct.addGroup() }
    if field.needs.contains(.numbers) { numbers.append([]) }
    if field.needs.contains(.deviation) { deviations.append(Deviation()) }
    if field.needs.contains(.ends) { ends.append((.null, .null)) }
  }

  /// Adds the values of some rows to their groups.
  ///
  /// - Parameters:
  ///   - columns: The columns at the paths of the field.
  ///   - rows: The rows.
  ///   - groups: The group of each row, at its row number.
  mutating func add(_ columns: ArraySlice<BatchColumn>, _ rows: RowSet, of groups: [Int32]) {
    guard case .field = field.source, let column = columns.first else {
      for row in rows { add(field.value(columns.map { $0.value(row) }), to: Int(groups[row])) }
      return
    }
    var rows = rows
    column.keep(&rows, areNull: false)
    if isSingle {
      present[0] += rows.count
    } else {
      for row in rows { present[Int(groups[row])] += 1 }
    }
    if field.needs.contains(.totals) {
      if isSingle { totals.add(column, rows) } else { totals.add(column, rows, of: groups) }
    }
    if field.needs.contains(.distinct) { distinct.add(column, rows, of: groups) }
    if !field.needs.isDisjoint(with: [.numbers, .deviation]) {
      column.forEachNumber(rows) { add(number: $1, to: Int(groups[$0])) }
    }
    if field.needs.contains(.ends) {
      for row in rows { add(end: column.value(row), to: Int(groups[row])) }
    }
  }

  /// Adds a value to a group.
  mutating func add(_ value: Value, to group: Int) {
    if value.isNull { return }
    present[group] += 1
    if field.needs.contains(.totals) { totals.add(value, to: group) }
    if field.needs.contains(.distinct) { distinct.add(value, to: group) }
    if !field.needs.isDisjoint(with: [.numbers, .deviation]), let number = value.asDouble {
      add(number: number, to: group)
    }
    if field.needs.contains(.ends) { add(end: value, to: group) }
  }

  private mutating func add(number: Double, to group: Int) {
    if number.isNaN { return }
    if field.needs.contains(.numbers) { numbers[group].append(number) }
    if field.needs.contains(.deviation) { deviations[group].add(number) }
  }

  private mutating func add(end value: Value, to group: Int) {
    if ends[group].first.isNull { ends[group].first = value }
    ends[group].last = value
  }

  /// Returns the result of an aggregate in a group.
  ///
  /// - Throws: ``QueryPredicateError`` if a sum overflows.
  func value(of column: AggregateColumn, in group: Int) throws(QueryPredicateError) -> Value {
    switch column.operation {
    case .count: return .int(Int64(present[group]))
    case .first: return ends[group].first
    case .last: return ends[group].last
    case .countDistinct: return .int(Int64(distinct.counts[group]))
    case .min: return totals.aggregation(of: group).minimum ?? .null
    case .max: return totals.aggregation(of: group).maximum ?? .null
    case .avg: return totals.aggregation(of: group).average ?? .null
    case .median, .percentile:
      return Quantile.value(numbers[group], percent: column.percent ?? 50).map(Value.double)
        ?? .null
    case .stddev: return deviations[group].value.map(Value.double) ?? .null
    case .sum:
      guard let sum = totals.aggregation(of: group).sum else {
        throw QueryPredicateError(
          .invalidQuery, "'\(column.name)' exceeds the range of 64-bit integers")
      }
      return sum
    }
  }
}

/// The number of distinct values of each of several groups; null is not counted.
struct DistinctCounts {
  private var values = ValueNumbers()
  private var pairs = KeyNumbers()
  /// The numbers of the values of a batch.
  private var numbers: [Int32] = []
  /// The number of distinct values by group.
  private(set) var counts: [Int] = []

  /// Adds a group without values.
  mutating func addGroup() { counts.append(0) }

  /// Adds the values of rows to their groups; the values are not null.
  mutating func add(_ column: BatchColumn, _ rows: RowSet, of groups: [Int32]) {
    values.write(column, rows, to: &numbers)
    for row in rows { add(numbers[row], to: groups[row]) }
  }

  /// Adds a value to a group.
  mutating func add(_ value: Value, to group: Int) {
    add(values.number(of: value), to: Int32(group))
  }

  private mutating func add(_ number: Int32, to group: Int32) {
    let count = pairs.count
    _ = pairs.number(of: KeyNumbers.pair(group, number))
    if pairs.count > count { counts[Int(group)] += 1 }
  }
}

/// The standard deviation of a sample, as `stddev` of SQL.
///
/// Source: B. Welford, "Note on a Method for Calculating Corrected Sums of Squares and Products", 1962; the sum
/// of squares of large numbers with a small deviation would lose all digits.
struct Deviation {
  private var count = 0.0
  private var mean = 0.0
  /// The sum of the squares of the differences from the mean.
  private var squares = 0.0

  /// Adds a number.
  mutating func add(_ number: Double) {
    count += 1
    let difference = number - mean
    mean += difference / count
    squares += difference * (number - mean)
  }

  /// The standard deviation; nil for fewer than two numbers, NaN if one of them is infinite.
  var value: Double? {
    guard count > 1 else { return nil }
    let value = (squares / (count - 1)).squareRoot()
    return value.isNaN ? .nan : value
  }
}

extension BatchColumn {
  /// Calls a closure with the row number and the number of each row that contains a number.
  ///
  /// - Parameters:
  ///   - rows: The rows; none is null.
  ///   - body: The closure.
  func forEachNumber(_ rows: RowSet, _ body: (Int, Double) -> Void) {
    switch type {
    case .int: withIntegers { numbers in for row in rows { body(row, Double(numbers[row])) } }
    case .double, .float: withDoubles { numbers in for row in rows { body(row, numbers[row]) } }
    default:
      for row in rows {
        if let number = value(row).asDouble { body(row, number) }
      }
    }
  }
}
