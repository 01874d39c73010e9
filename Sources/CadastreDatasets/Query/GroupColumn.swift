import CadastreEngine
import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// A field to group by, in the syntax of the command line: `country` or `day(date)`.
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
  }

  /// The field.
  let path: PropertyPath
  /// The type of the groups.
  let type: PropertyType
  private let bucket: Bucket?
  /// The grid of the cells to group by; nil for values.
  let grid: GeoGrid?
  /// The name of the column: the field, the part of it, or the cell.
  let name: String

  init(_ text: String, _ query: StoreQuery, for option: String) throws(QueryPredicateError) {
    guard let call = Self.call(text) else {
      path = PropertyPath(text)
      type = try query.valueType(at: path, for: option)
      (bucket, grid, name) = (nil, nil, path.description)
      return
    }
    if let cell = try Self.cell(call.function, call.arguments, for: option) {
      (path, grid, bucket, type) = (cell.path, cell.grid, nil, .string)
      name = "\(call.function)(\(cell.path), \(cell.grid.level))"
      _ = try query.schema.geometries(at: path, from: query.className)
      return
    }
    guard let bucket = Bucket(rawValue: call.function) else {
      throw QueryPredicateError(
        .invalidQuery,
        "\(option): expected a field, year, month, day or hour of a date such as 'day(date)', or a cell such "
          + "as 'tile(location, 6)' or 'geohash(location, 5)', found '\(printable(text))'")
    }
    path = PropertyPath(String(call.arguments))
    let type = try query.valueType(at: path, for: option)
    guard type == .date else {
      throw QueryPredicateError(
        .invalidQuery, "\(option): '\(bucket)' expects a date, and '\(path)' is of type '\(type)'")
    }
    self.type = .string
    self.bucket = bucket
    grid = nil
    name = "\(bucket)(\(path))"
  }

  /// Splits a call such as `day( date )`; the function is in lower case.
  private static func call(_ text: String) -> (function: String, arguments: Substring)? {
    text.wholeMatch(of: /(\w+)\s*\(\s*(.*?)\s*\)/).map { ($0.1.lowercased(), $0.2) }
  }

  /// Returns the name of the column of a text, without superfluous blanks.
  static func name(_ text: String) -> String {
    guard let call = call(text) else { return text }
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

  /// Whether the groups are the values of the field itself.
  var isField: Bool { bucket == nil && grid == nil }

  /// The name without brackets: `day_date` for `day(date)`.
  var plainName: String {
    isField ? name : "\(name.prefix { $0 != "(" })_\(path)"
  }

  /// Returns the group for output, where a cell is its name.
  func printed(_ group: Value) -> Value {
    guard let grid, case .int(let code) = group else { return group }
    return .string(GridCell(code: code, in: grid).description)
  }

  /// Returns the group of a value: the value itself, or the part of the date as text in UTC.
  func group(of value: Value) -> Value {
    guard let bucket, case .date(let date) = value else { return value }
    let text = date.description
    // Years have a sign before the year 0, and may have more than four digits.
    let sign = text.hasPrefix("-") ? 1 : 0
    let digits = text.dropFirst(sign).prefix { $0 != "-" }.count
    return .string(String(text.prefix(bucket.length + sign + digits - 4)))
  }
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

  /// Calls a closure with the group of each object, and its values at paths.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - paths: The paths.
  ///   - body: The closure; a group has a value for each of the ``columns``. Values with equal
  ///     keys, see `ValueKey`, are in one group, which the values of its first object represent.
  /// - Throws: `StoreError` if reading fails.
  /// - Complexity: O(n) in the number of keys; only the columns in use are read.
  func forEachGroup(
    _ keys: [Int64], at paths: [PropertyPath], _ body: ([Value], ArraySlice<Value>) -> Void
  ) throws {
    let className = query.bound.className
    let cells = try columns.map { column in
      try column.grid.map { try query.session.cells(keys, of: className, at: column.path, in: $0) }
    }
    let valued = columns.filter { $0.grid == nil }
    var index = -1
    try query.session.forEachValue(
      keys, of: className, at: valued.map(\.path) + paths
    ) { values in
      index += 1
      var next = 0
      let group = zip(columns, cells).map { column, cells in
        if let cells { return cells[index].map { Value.int($0) } ?? Value.null }
        next += 1
        return column.group(of: values[next - 1])
      }
      body(group, values[valued.count...])
    }
  }
}

/// The names of the columns of an aggregate query.
struct ColumnNames {
  /// The names, in the order of the columns.
  let names: [String]

  init(_ columns: [OutputColumn]) { names = columns.map { $0.path.names[0] } }

  /// Returns the index of the column that a text denotes, such as `AVG( elevation )`; nil for none.
  func index(of text: String) -> Int? {
    names.firstIndex(of: AggregateColumn(text)?.name ?? GroupColumn.name(text))
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
  private let evaluator: ReferenceEvaluator
  private let schema: ObjectSchema

  /// Parses a condition.
  ///
  /// - Parameters:
  ///   - text: The condition.
  ///   - columns: The columns of the result.
  /// - Throws: ``QueryPredicateError`` for invalid syntax or a column that is not computed.
  init(_ text: String, _ columns: [OutputColumn]) throws(QueryPredicateError) {
    schema = ObjectSchema(
      className: "Group",
      properties: columns.map {
        let type = $0.type ?? .any
        return Property(name: $0.path.names[0], type: type, isOptional: type != .any)
      })
    let schemas = Schema([schema])
    evaluator = ReferenceEvaluator(schema: schemas, root: schema)
    let names = ColumnNames(columns)
    do throws(QueryPredicateError) {
      predicate = try QueryPredicate(parsing: text) { (text) throws(QueryPredicateError) in
        try names.computed(text)
      }.bound(to: schemas, root: schema).named
    } catch {
      throw QueryPredicateError(
        error.kind, "--having: \(printable(error.message))", span: error.span, text: text)
    }
  }

  /// Returns whether a group matches.
  func matches(_ row: [Value]) throws(QueryPredicateError) -> Bool {
    try evaluator.matches(Subject(row: row, schema: schema), predicate)
  }

  /// A row of the result as an object.
  private struct Subject: PredicateSubject {
    let identity = Value.bool(true)
    let row: [Value]
    let schema: ObjectSchema

    func value(of property: Property) -> Value {
      schema.index(of: property.name).map { row[$0] } ?? .null
    }

    func object(at property: Property) -> (any PredicateSubject)? { nil }

    func elements(of property: Property) -> [Value] { [] }
  }
}
