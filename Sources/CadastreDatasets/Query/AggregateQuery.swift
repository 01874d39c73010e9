import CadastreEngine
import CadastreFormatting
import CadastreModel
import CadastrePlanner
package import CadastrePredicate
import CadastreStore

/// Works out counts, sums, averages and extremes of what a question finds, all together or for each
/// value of a field.
///
/// Null counts for nothing, and neither does NaN; `count(FIELD)` is the number of values that are not
/// null. Groups come in the order of their values, null first.
package struct AggregateQuery {
  private let query: StoreQuery
  private let columns: [AggregateColumn]
  /// The fields that something is worked out from, each once, and their types.
  private let fields: [(path: PropertyPath, type: PropertyType)]
  /// Where among them each column's field is; nil where objects are counted.
  private let fieldNumbers: [Int?]
  private let group: (path: PropertyPath, type: PropertyType)?

  /// Prepares what is written as `count, avg(rating)`.
  ///
  /// - Throws: ``QueryPredicateError`` where that cannot be worked out of the class's fields.
  package init(
    _ query: StoreQuery, compute: String, by group: String?
  ) throws(QueryPredicateError) {
    self.query = query
    columns = try AggregateColumn.list(compute)
    var fields: [(path: PropertyPath, type: PropertyType)] = []
    var numbers: [Int?] = []
    for column in columns {
      guard let path = column.path else {
        numbers.append(nil)
        continue
      }
      let type = try query.valueType(at: path, for: column.name)
      guard column.accepts(type) else {
        throw QueryPredicateError(
          .invalidQuery,
          "'\(column.name)': expected \(column.accepted), and '\(path)' is of type '\(type)'")
      }
      let number = fields.firstIndex { $0.path == path }
      numbers.append(number ?? fields.count)
      if number == nil { fields.append((path, type)) }
    }
    self.fields = fields
    fieldNumbers = numbers
    if let group {
      let path = PropertyPath(group.trimmingBlanks().description)
      self.group = (path, try query.valueType(at: path, for: "--by"))
    } else {
      self.group = nil
    }
  }

  /// The columns of the answer: the field that groups, then what is worked out.
  package var outputColumns: [OutputColumn] {
    let by = group.map { [OutputColumn($0.path.description, type: $0.type)] } ?? []
    return by
      + zip(columns, fieldNumbers).map { column, field in
        let type: PropertyType? =
          switch column.operation {
          case .count: .int
          case .avg: .double
          case .sum, .min, .max: field.map { fields[$0].type }
          }
        return OutputColumn(column.name, type: type)
      }
  }

  /// The answer, a record for each group, or one.
  ///
  /// - Parameters:
  ///   - order: The columns to sort by, as "COLUMN [asc|desc], …"; by default the field that groups.
  ///   - limit: Groups at most.
  /// - Returns: Records with the fields of ``outputColumns``.
  /// - Throws: ``QueryPredicateError`` where a sum does not fit, or what reading throws.
  /// - Complexity: O(n) for n objects, and no object is read whole.
  package func records(order: String? = nil, limit: Int? = nil) throws -> [StoredRecord] {
    guard let group else { return [record(try total())] }
    let keys = try sortKeys(order)
    let groups = try groups(by: group.path)
    var rows: [[Value]] = []
    for (value, tally) in groups.sorted(by: { $0.key.ordering($1.key) == .ascending }) {
      rows.append([value] + (try values(tally)))
    }
    if !keys.isEmpty {
      // Swift's sort is stable: groups that are level stay in the order of their values.
      rows.sort { first, second in
        for key in keys {
          switch first[key.column].ordering(second[key.column]) {
          case .ascending: return key.isAscending
          case .descending: return !key.isAscending
          default: continue
          }
        }
        return false
      }
    }
    return rows.prefix(limit ?? .max).map(record)
  }

  // MARK: Working out

  /// What is known of the objects of a group so far.
  private struct Tally {
    var count = 0
    var fields: [(present: Int, aggregation: Aggregation)]
  }

  private var nothing: Tally {
    Tally(fields: fields.map { (0, Aggregation(of: $0.type)) })
  }

  /// All objects as one group.
  private func total() throws -> [Value] {
    var tally = nothing
    guard !fields.isEmpty else {
      tally.count = try query.count()
      return try values(tally)
    }
    let keys = try query.keys()
    tally.count = keys.count
    for (index, field) in fields.enumerated() {
      let isColumn = try query.session.forEachColumn(
        keys, of: query.bound.className, at: field.path
      ) { column, rows in
        let isNull = column.isNull
        for row in rows where !isNull[Int(row)] { tally.fields[index].present += 1 }
        tally.fields[index].aggregation.add(column, rows)
      }
      if isColumn { continue }
      try query.session.forEachValue(
        keys, of: query.bound.className, at: [field.path]
      ) { values in
        if !values[0].isNull { tally.fields[index].present += 1 }
        tally.fields[index].aggregation.add(values[0])
      }
    }
    return try values(tally)
  }

  private func groups(by path: PropertyPath) throws -> [Value: Tally] {
    var numbers: [Value: Int] = [:]
    var tallies: [Tally] = []
    let nothing = nothing
    try query.session.forEachValue(
      try query.keys(), of: query.bound.className, at: [path] + fields.map(\.path)
    ) { values in
      let number = numbers[values[0].groupingKey, default: tallies.count]
      if number == tallies.count {
        numbers[values[0].groupingKey] = number
        tallies.append(nothing)
      }
      tallies[number].count += 1
      for index in fields.indices where !values[index + 1].isNull {
        tallies[number].fields[index].present += 1
        tallies[number].fields[index].aggregation.add(values[index + 1])
      }
    }
    return numbers.mapValues { tallies[$0] }
  }

  private func values(_ tally: Tally) throws(QueryPredicateError) -> [Value] {
    var values: [Value] = []
    for (column, number) in zip(columns, fieldNumbers) {
      guard let number else {
        values.append(.int(Int64(tally.count)))
        continue
      }
      let (present, aggregation) = tally.fields[number]
      switch column.operation {
      case .count: values.append(.int(Int64(present)))
      case .min: values.append(aggregation.minimum ?? .null)
      case .max: values.append(aggregation.maximum ?? .null)
      case .avg: values.append(aggregation.average ?? .null)
      case .sum:
        guard let sum = aggregation.sum else {
          throw QueryPredicateError(
            .invalidQuery, "'\(column.name)' is more than a whole number of 64 bits holds")
        }
        values.append(sum)
      }
    }
    return values
  }

  private func record(_ values: [Value]) -> StoredRecord {
    StoredRecord(
      fields: zip(outputColumns, values).map { ($0.path.names[0], .value($1)) })
  }

  private func sortKeys(
    _ order: String?
  ) throws(QueryPredicateError) -> [(column: Int, isAscending: Bool)] {
    var keys: [(column: Int, isAscending: Bool)] = []
    let names = outputColumns.map { $0.path.names[0] }
    for part in try order.map(SortText.parts) ?? [] {
      guard let column = names.firstIndex(of: part.name) else {
        throw QueryPredicateError(
          .sort,
          "there is no column '\(printable(part.name))' to sort by; expected "
            + names.map { "'\($0)'" }.joined(separator: ", "))
      }
      keys.append((column, part.isAscending))
    }
    return keys
  }
}
