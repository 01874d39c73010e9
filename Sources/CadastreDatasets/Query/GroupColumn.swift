import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore

/// A field or a calculation to group by, in the syntax of the command line: `country`, `day(date)`,
/// `tile(location, 6)`, `bin(elevation, 100)` or `elevation / 100 as hundreds`.
struct GroupColumn {
  /// The parts of dates to group by.
  enum Bucket: String, CaseIterable {
    case year, month, day, hour

    /// The number of characters of the part at the start of a date in ISO 8601.
    fileprivate var length: Int {
      switch self {
      case .year: 4
      case .month: 7
      case .day: 10
      case .hour: 13
      }
    }

    /// The length in seconds of intervals from 1970 that each lie in one part.
    fileprivate var seconds: Int64 { self == .hour ? 3600 : 86_400 }
  }

  /// The values of the groups.
  private enum Source {
    case field
    case part(Bucket)
    case cell(GeoGrid)
    /// Intervals of a width, which begin at its multiples.
    case bin(width: Double)
    case calculation(FieldExpression)
  }

  /// The field; the name of a calculation.
  let path: PropertyPath
  /// The type of the groups.
  let type: PropertyType
  /// The name of the column: the field, the part of it, the cell, or the calculation or the name after `as`.
  let name: String
  private let source: Source

  init(_ text: String, _ query: StoreQuery, for option: String) throws(QueryPredicateError) {
    let isField = (try? query.schema.resolve(PropertyPath(text), from: query.root)) != nil
    guard !isField, let call = Self.call(text) else {
      if !isField, FieldExpression.isExpression(text) {
        let (expression, name) = try FieldExpression.named(text, query.root, in: query.schema)
        self.name = name
        (path, type) = (PropertyPath([name]), expression.type)
        source = .calculation(expression)
        return
      }
      path = PropertyPath(text)
      type = try query.valueType(at: path, for: option)
      (source, name) = (.field, path.description)
      return
    }
    if let cell = try Self.cell(call.function, call.arguments, for: option) {
      (path, source, type) = (cell.path, .cell(cell.grid), .string)
      name = "\(call.function)(\(cell.path), \(cell.grid.level))"
      _ = try query.schema.geometries(at: path, from: query.className)
      return
    }
    if call.function == "bin" {
      (path, type, name, source) = try Self.bin(call.arguments, query, for: option)
      return
    }
    guard let bucket = Bucket(rawValue: call.function) else {
      throw QueryPredicateError(
        .invalidQuery,
        "\(option): expected a field, year, month, day or hour of a date such as 'day(date)', a cell such "
          + "as 'tile(location, 6)' or 'geohash(location, 5)', a bin such as 'bin(elevation, 100)', or a "
          + "calculation such as 'elevation / 100', found '\(printable(text))'")
    }
    path = PropertyPath(String(call.arguments))
    let type = try query.valueType(at: path, for: option)
    guard type == .date else {
      throw QueryPredicateError(
        .invalidQuery, "\(option): '\(bucket)' expects a date, and '\(path)' is of type '\(type)'")
    }
    self.type = .string
    source = .part(bucket)
    name = "\(bucket)(\(path))"
  }

  /// Splits a call such as `day( date )`; the function is in lower case.
  private static func call(_ text: String) -> (function: String, arguments: Substring)? {
    text.wholeMatch(of: /(\w+)\s*\(\s*(.*?)\s*\)/).map { ($0.1.lowercased(), $0.2) }
  }

  /// Returns the name of the column of a text, without superfluous blanks.
  static func name(_ text: String) -> String {
    guard let call = call(text) else {
      return FieldExpression.isExpression(text) ? FieldExpression.normalized(text) : text
    }
    let arguments = ListText.parts(String(call.arguments)).map { $0.trimmingBlanks() }
    return "\(call.function)(\(arguments.joined(separator: ", ")))"
  }

  /// Parses the arguments of a cell: a field and a level; nil for other functions.
  private static func cell(
    _ function: String, _ arguments: Substring, for option: String
  ) throws(QueryPredicateError) -> (path: PropertyPath, grid: GeoGrid)? {
    let levels: ClosedRange<Int>
    switch function {
    case "tile": levels = 0...30
    case "geohash": levels = 1...12
    default: return nil
    }
    let parts = ListText.parts(String(arguments)).map { $0.trimmingBlanks() }
    guard parts.count == 2, let level = Int(parts[1]), levels.contains(level) else {
      throw QueryPredicateError(
        .invalidQuery,
        "\(option): '\(function)' expects a point or a geometry and a level from \(levels.lowerBound) to "
          + "\(levels.upperBound), such as '\(function)(location, 5)'")
    }
    return (
      PropertyPath(String(parts[0])),
      function == "tile" ? .tile(zoom: level) : .geohash(length: level)
    )
  }

  /// Parses the arguments of a bin: a field with numbers, and a width.
  private static func bin(
    _ arguments: Substring, _ query: StoreQuery, for option: String
  ) throws(QueryPredicateError) -> (PropertyPath, PropertyType, String, Source) {
    let parts = ListText.parts(String(arguments)).map { $0.trimmingBlanks() }
    guard parts.count == 2, let width = Double(String(parts[1])), width > 0, width.isFinite else {
      throw QueryPredicateError(
        .invalidQuery,
        "\(option): 'bin' expects a field with numbers and a width above 0, such as 'bin(elevation, 100)'"
      )
    }
    let path = PropertyPath(String(parts[0]))
    let type = try query.valueType(at: path, for: option)
    guard type.isNumeric else {
      throw QueryPredicateError(
        .invalidQuery, "\(option): 'bin' expects numbers, and '\(path)' is of type '\(type)'")
    }
    let isWhole = type == .int && Int64(exactly: width) != nil
    return (path, isWhole ? .int : .double, "bin(\(path), \(parts[1]))", .bin(width: width))
  }

  /// Returns the lower bound of the bin of a number; null for null, and NaN for NaN.
  private static func bin(_ value: Value, _ width: Double) -> Value {
    if case .int(let number) = value, let width = Int64(exactly: width) {
      let (bound, overflow) = number.dividedRoundingDown(by: width).quotient
        .multipliedReportingOverflow(by: width)
      return overflow ? .double(Double(number)) : .int(bound)
    }
    guard let number = value.asDouble else { return .null }
    // Adding 0 makes -0.0 the equal 0.0.
    return .double((number / width).rounded(.down) * width + 0)
  }

  /// Whether the groups are the values of the field itself.
  var isField: Bool { if case .field = source { true } else { false } }

  /// Whether the groups are results of a calculation, or bins.
  @inline(never)
  var isCalculation: Bool {
    switch source {
    case .calculation, .bin: true
    case .field, .part, .cell: false
    }
  }

  /// The grid of the cells to group by; nil for values.
  // Not inlined: the optimiser of Swift 6.3.1 fails on the callers.
  @inline(never)
  var grid: GeoGrid? { if case .cell(let grid) = source { grid } else { nil } }

  /// The fields that are read; none for cells.
  var paths: [PropertyPath] {
    switch source {
    case .field, .part, .bin: [path]
    case .cell: []
    case .calculation(let expression): expression.paths
    }
  }

  /// The part of dates to group by; nil for other groups.
  var datePart: ValueNumbers.DatePart? {
    guard case .part(let bucket) = source else { return nil }
    return ValueNumbers.DatePart(seconds: bucket.seconds) { Self.part($0, bucket) }
  }

  /// The name without brackets: `day_date` for `day(date)`.
  var plainName: String {
    isField ? name : "\(name.prefix { $0 != "(" })_\(path)"
  }

  /// Returns the group for output, where a cell is its name.
  func printed(_ group: Value) -> Value {
    guard let grid, case .int(let code) = group else { return group }
    return .string(GridCell(code: code, in: grid).description)
  }

  /// Returns the group of an object with the values at ``paths``; null for cells.
  func group(of values: some Collection<Value>) -> Value {
    switch source {
    case .field: return values.first ?? .null
    case .cell: return .null
    case .calculation(let expression): return expression.value(of: values)
    case .bin(let width): return values.first.map { Self.bin($0, width) } ?? .null
    case .part(let bucket):
      guard case .date(let date)? = values.first else { return .null }
      return Self.part(date, bucket)
    }
  }

  /// Returns the part of a date as text in UTC.
  private static func part(_ date: Timestamp, _ bucket: Bucket) -> Value {
    let text = date.description
    // Years have a sign before the year 0, and may have more than four digits.
    let sign = text.hasPrefix("-") ? 1 : 0
    let digits = text.dropFirst(sign).prefix { $0 != "-" }.count
    return .string(String(text.prefix(bucket.length + sign + digits - 4)))
  }
}

/// The groups and their objects, in the order of the objects.
protocol GroupReceiver {
  /// Adds a group, given its values; its number is the number of groups before it.
  mutating func addGroup(_ values: [Value])

  /// Adds objects to their groups.
  ///
  /// - Parameters:
  ///   - columns: The columns at the paths that were requested.
  ///   - rows: The rows of the objects, in their order.
  ///   - groups: The group of each row, at its row number.
  mutating func add(_ columns: ArraySlice<BatchColumn>, _ rows: RowSet, of groups: [Int32])

  /// Adds an object to a group, given the values at the paths that were requested.
  mutating func add(_ values: ArraySlice<Value>, to group: Int)
}

/// The group of each object.
struct GroupList: GroupReceiver {
  /// The values of each group, which are those of its first object.
  private(set) var groups: [[Value]] = []
  /// The group of each object, in the order of the objects.
  private(set) var numbers: [Int32] = []

  mutating func addGroup(_ values: [Value]) { groups.append(values) }

  mutating func add(_ columns: ArraySlice<BatchColumn>, _ rows: RowSet, of groups: [Int32]) {
    for row in rows { numbers.append(groups[row]) }
  }

  mutating func add(_ values: ArraySlice<Value>, to group: Int) { numbers.append(Int32(group)) }
}

/// The fields by which the result of a query is grouped.
struct Grouping {
  /// The fields.
  let columns: [GroupColumn]
  private let query: StoreQuery

  /// Parses a list of fields.
  ///
  /// - Parameters:
  ///   - text: The fields, separated by commas; nil for none.
  ///   - query: The query whose result is grouped.
  ///   - option: The option with the text, for messages.
  /// - Throws: ``QueryPredicateError`` for invalid syntax, unknown fields or unsuitable types.
  init(_ text: String?, of query: StoreQuery, for option: String) throws(QueryPredicateError) {
    self.query = query
    var columns: [GroupColumn] = []
    for part in text.map(ListText.parts) ?? [] {
      let column = try GroupColumn(String(part.trimmingBlanks()), query, for: option)
      guard !columns.contains(where: { $0.name == column.name }) else {
        throw QueryPredicateError(
          .invalidQuery, "\(option): '\(column.name)' occurs twice; expected it once")
      }
      columns.append(column)
    }
    self.columns = columns
  }

  /// Groups objects.
  ///
  /// Values with equal keys, see `ValueKey`, are in one group, which the values of its first object
  /// represent.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects; nil for the result of the query.
  ///   - paths: The paths of the values that the receiver gets.
  ///   - receiver: Receives the groups and the objects.
  /// - Throws: `StoreError` if reading fails.
  /// - Complexity: O(n) in the number of objects; only the columns in use are read, once.
  func group(
    _ keys: [Int64]? = nil, at paths: [PropertyPath], into receiver: inout some GroupReceiver
  ) throws {
    let className = query.bound.className
    let hasCells = columns.contains { $0.grid != nil }
    let keys = try hasCells ? keys ?? query.keys() : keys
    var cells = try columns.map { column in
      try column.grid.map {
        CellsOfRows(
          try query.session.cells(keys ?? [], of: className, at: column.path, in: $0))
      }
    }
    let own = columns.flatMap(\.paths)
    var table = GroupTable(columns.map(\.datePart))
    var groups: [Int32] = []
    func add(_: borrowing ColumnBatch, _ batch: [BatchColumn], _ rows: RowSet) {
      guard !rows.isEmpty else { return }
      for index in cells.indices { cells[index]?.move(to: rows) }
      let values = rowValues(batch, cells)
      let sources = zip(columns, values).map { column, values -> GroupTable.Source in
        column.isCalculation || column.grid != nil
          ? .values(values.value) : .column(batch[values.start])
      }
      table.write(sources, rows, to: &groups) { row in
        receiver.addGroup(values.map { $0.value(row) })
      }
      receiver.add(batch[own.count...], rows, of: groups)
    }
    let areColumns =
      if let keys {
        try query.session.forEachBatch(keys, of: className, at: own + paths, add)
      } else {
        try query.session.forEachBatch(query.bound, at: own + paths, add)
      }
    if areColumns { return }
    var index = -1
    try query.session.forEachValue(
      keys ?? query.keys(), of: className, at: own + paths
    ) { values in
      index += 1
      var start = 0
      let group = zip(columns, cells).map { column, cells in
        if let cells { return cells.cell(ofObject: index) }
        start += column.paths.count
        return column.group(of: values[start - column.paths.count..<start])
      }
      let (number, isNew) = table.group(of: group)
      if isNew { receiver.addGroup(group) }
      receiver.add(values[own.count...], to: Int(number))
    }
  }

  /// Returns for each column the index of its first column in a batch, and its value in a row.
  private func rowValues(
    _ batch: [BatchColumn], _ cells: [CellsOfRows?]
  ) -> [(start: Int, value: (Int) -> Value)] {
    var start = 0
    return zip(columns, cells).map { column, cells in
      if let cells { return (start, { cells.cell(ofRow: $0) }) }
      let range = start..<start + column.paths.count
      start = range.upperBound
      return (
        range.lowerBound, { row in column.group(of: batch[range].map { $0.value(row) }) }
      )
    }
  }

  /// The cells of objects, by the rows of a batch.
  private struct CellsOfRows {
    private let cells: [Int64?]
    /// The index of the first object after the batch.
    private var end = 0
    /// The cells of the rows of the batch, at their row numbers.
    private var rows: [Value] = []

    init(_ cells: [Int64?]) { self.cells = cells }

    /// Assigns the next cells to the rows of a batch.
    mutating func move(to batch: RowSet) {
      let count = (batch.last ?? -1) + 1
      if rows.count < count {
        rows.append(contentsOf: repeatElement(.null, count: count - rows.count))
      }
      for row in batch {
        rows[row] = cell(ofObject: end)
        end += 1
      }
    }

    func cell(ofRow row: Int) -> Value { rows[row] }

    func cell(ofObject index: Int) -> Value { cells[index].map(Value.int) ?? .null }
  }
}

/// The names of the columns of an aggregate query.
struct ColumnNames {
  /// The names, in the order of the columns.
  let names: [String]

  init(_ columns: [OutputColumn]) { names = columns.map { $0.path.names[0] } }

  /// Returns the index of the column that a text denotes, such as `AVG( elevation )`; nil for none.
  func index(of text: String) -> Int? {
    names.firstIndex(of: text)
      ?? names.firstIndex(of: AggregateColumn(text)?.name ?? GroupColumn.name(text))
  }

  /// Returns the name of the column that a text denotes; nil for a text that is no aggregate.
  ///
  /// - Throws: ``QueryPredicateError`` for an aggregate that is not computed.
  func computed(_ text: String) throws(QueryPredicateError) -> String? {
    if let index = index(of: text) { return names[index] }
    guard AggregateColumn(text) == nil else {
      throw QueryPredicateError(
        .invalidQuery, "'\(printable(text))' is not computed; expected one of \(listed(names))")
    }
    return nil
  }
}

/// A predicate on the columns of an aggregate query: `count > 10 AND avg(elevation) > 300`.
struct GroupCondition {
  /// The predicate, in which the name of a column is one step of a path.
  let predicate: QueryPredicate
  private let rows: RowList
  private let filter: RowFilter

  /// Parses a condition.
  ///
  /// - Parameters:
  ///   - text: The condition.
  ///   - columns: The columns of the result.
  /// - Throws: ``QueryPredicateError`` for invalid syntax or a column that is not computed.
  init(_ text: String, _ columns: [OutputColumn]) throws {
    let schema = Self.schema(columns) { $0 }
    let schemas = Schema([schema])
    let names = ColumnNames(columns)
    let bound: BoundPredicate
    do throws(QueryPredicateError) {
      bound = try QueryPredicate(parsing: text) { (text) throws(QueryPredicateError) in
        try names.computed(text)
      }.bound(to: schemas, root: schema)
    } catch {
      throw QueryPredicateError(
        error.kind, "--having: \(printable(error.message))", span: error.span, text: text)
    }
    predicate = bound.named
    // A number may be of another type than its column: a sum of integers beyond 64 bits is a double.
    let stored = Self.schema(columns) { $0.isNumeric ? .any : $0 }
    rows = RowList(Catalogue(inMemory: Schema([stored])))
    filter = try RowFilter(bound, on: Self.className, of: rows)
  }

  private static let className = "Group"

  private static func schema(
    _ columns: [OutputColumn], _ type: (PropertyType) -> PropertyType
  ) -> ObjectSchema {
    ObjectSchema(
      className: className,
      properties: columns.map {
        let type = type($0.type ?? .any)
        return Property(name: $0.path.names[0], type: type, isOptional: type != .any)
      })
  }

  /// Returns whether a group matches.
  func matches(_ row: [Value]) throws -> Bool {
    rows.removeAll()
    return try filter.matches(rows.append(row))
  }
}
