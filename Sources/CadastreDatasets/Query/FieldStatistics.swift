import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore

/// Statistics of the fields of a query result: nulls, distinct values, extremes, mean, distribution.
package struct FieldStatistics {
  private let query: StoreQuery

  /// Describes the result of a query.
  package init(_ query: StoreQuery) { self.query = query }

  /// The columns of the records.
  package static let columns = [
    OutputColumn("field", type: .string), OutputColumn("type", type: .string),
    OutputColumn("nulls", type: .int), OutputColumn("distinct", type: .int),
    OutputColumn("min", type: nil), OutputColumn("max", type: nil),
    OutputColumn("mean", type: .double), OutputColumn("distribution", type: .string),
  ]

  /// Returns a record for each field with a single value.
  ///
  /// - Throws: `StoreError` if reading fails.
  /// - Complexity: O(n) time and memory for n objects, for each field; all counts are exact.
  package func records() throws -> [StoredRecord] {
    let keys = try query.keys()
    return try paths(of: query.root, prefix: []).map { path in
      try record(path, keys)
    }
  }

  /// Returns the paths to single values, also in embedded objects, and to coordinates of points.
  private func paths(of owner: ObjectSchema, prefix: [String]) -> [PropertyPath] {
    let schema = query.schema
    return owner.properties.flatMap { property -> [PropertyPath] in
      let names = prefix + [property.name]
      if schema.isPoint(property) {
        return [PointMember.longitude, .latitude].map { PropertyPath(names + [$0.rawValue]) }
      }
      if schema.isInline(property), let target = schema.target(of: property) {
        return paths(of: target, prefix: names)
      }
      let isSingle = property.collection == nil && ![.object, .data].contains(property.type)
      return isSingle ? [PropertyPath(names)] : []
    }
  }

  private func record(_ path: PropertyPath, _ keys: [Int64]) throws -> StoredRecord {
    let type = try query.valueType(at: path, for: "stats")
    var summary = FieldSummary(of: type)
    let (session, className) = (query.session, query.bound.className)
    let isColumn = try session.forEachBatch(keys, of: className, at: [path]) { _, columns, rows in
      summary.add(columns[0], rows)
    }
    if !isColumn {
      try session.forEachValue(keys, of: className, at: [path]) { summary.add($0[0]) }
    }
    let aggregation = summary.aggregation
    let values: [Value] = [
      .string(path.description), .string(type.description),
      .int(Int64(keys.count - summary.present)), .int(Int64(summary.distinct)),
      aggregation.minimum ?? .null, aggregation.maximum ?? .null,
      type.isNumeric ? aggregation.average ?? .null : .null,
      Histogram.text(summary.numbers).map(Value.string) ?? .null,
    ]
    return StoredRecord(
      fields: zip(Self.columns, values).map { ($0.path.names[0], .value($1)) })
  }
}

/// The values of one field.
private struct FieldSummary {
  /// The number of values that are not null.
  private(set) var present = 0
  private(set) var aggregation: Aggregation
  /// The finite numbers, and the seconds of dates.
  private(set) var numbers: [Double] = []
  private var groups = GroupTable([nil])
  private var groupOfRow: [Int32] = []

  /// A summary of no values yet, of a field of some type.
  init(of type: PropertyType) { aggregation = Aggregation(of: type) }

  /// The number of distinct values.
  var distinct: Int { groups.count }

  /// Adds a value.
  mutating func add(_ value: Value) {
    if value.isNull { return }
    present += 1
    _ = groups.group(of: [value])
    aggregation.add(value)
    if let number = value.position { add(number) }
  }

  /// Adds the values of some rows of a column.
  mutating func add(_ column: BatchColumn, _ rows: RowSet) {
    var rows = rows
    column.keep(&rows, areNull: false)
    present += rows.count
    var new: [Int] = []
    groups.write([.column(column)], rows, to: &groupOfRow) { new.append($0) }
    switch column.type {
    case .string:
      for row in new { aggregation.add(column.value(row)) }
      return
    case .int: column.withIntegers { for row in rows { add(Double($0[row])) } }
    case .double, .float: column.withDoubles { for row in rows { add($0[row]) } }
    default: for row in rows { if let number = column.value(row).position { add(number) } }
    }
    aggregation.add(column, rows)
  }

  private mutating func add(_ number: Double) {
    if number.isFinite { numbers.append(number) }
  }
}

extension Value {
  /// The position of a number or a date on an axis; nil for other values.
  fileprivate var position: Double? {
    if case .date(let date) = self { Double(date.seconds) } else { asDouble }
  }
}

/// The distribution of numbers as a line of bars.
enum Histogram {
  private static let bars = Array("▁▂▃▄▅▆▇█")

  /// Returns ten bars for intervals of equal width between the extremes.
  ///
  /// - Parameter numbers: Finite numbers.
  /// - Returns: The bars, a blank for an empty interval; nil for fewer than two different numbers.
  static func text(_ numbers: [Double]) -> String? {
    guard let least = numbers.min(), let greatest = numbers.max(), least < greatest else {
      return nil
    }
    // Halves, because the difference of two large numbers may be infinite.
    let width = (greatest / 2 - least / 2) / 10
    guard width > 0 else { return nil }
    var counts = [Int](repeating: 0, count: 10)
    for number in numbers {
      counts[min(9, Int((number / 2 - least / 2) / width))] += 1
    }
    let most = counts.max() ?? 1
    return String(
      counts.map { count in
        count == 0 ? " " : bars[(count * 8 - 1) / most]
      })
  }
}
