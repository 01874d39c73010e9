import CadastreModel
package import CadastrePredicate

/// Translates bound queries to SQL with exactly the same meaning.
///
/// Constants become parameters, and names become quoted identifiers, so that a statement contains no text of a query.
package struct SQLTranslator: ConditionTranslator {
  /// The name of the database engine.
  var engine: String { "PostgreSQL" }

  let schema: Schema
  private let tables: [String: PostgresTable]
  /// The schemas that qualify names in statements.
  let names: SchemaNames
  var parameters = SQLStatement("")
  /// The borders of spherical regions, in the order of their conditions.
  var borders: [RegionBorder] = []
  /// The corrections for points near these borders; nil before the refinement.
  let corrections: [RegionCorrection]?
  /// The distance in metres of the last of the nearest objects; nil to sort all objects.
  var reach: Double?
  /// The joins of links, by the column or expression of the link.
  var joins: [(column: String, alias: String, text: String)] = []
  /// The alias of the table at which paths begin.
  var scope = rootAlias
  private var aliasCount = 0

  /// Creates a translator.
  ///
  /// - Parameters:
  ///   - classes: The classes and their tables.
  ///   - corrections: The corrections for points near borders; nil before the refinement.
  init(_ classes: RemoteClasses, corrections: [RegionCorrection]? = nil) {
    schema = classes.schema
    tables = classes.tables
    names = classes.names
    self.corrections = corrections
  }

  /// The alias of the queried table.
  static let rootAlias = "t0"

  /// The output of a statement.
  package enum Output: Sendable {
    /// The keys of the objects, in the order of the query.
    case keys
    /// All columns of the objects, in the order of the query.
    case rows
    /// The number of objects, without the limit of the query.
    case count
    /// Aggregates of the objects, without the limit of the query.
    case aggregates([(function: AggregateFunction, path: BoundPath)])
    /// Groups of objects with equal values at paths, in order of the values: the values, the number of objects and
    /// aggregates.
    case groups([BoundPath], [(function: AggregateFunction, path: BoundPath)])
  }

  /// Returns the statement of a query.
  ///
  /// - Throws: ``UntranslatablePart`` for a part without exact translation.
  mutating func statement(
    _ query: BoundQuery, _ output: Output
  ) throws(UntranslatablePart) -> SQLStatement {
    clear()
    var condition = try condition(query.predicate)
    if let reach { condition += " AND " + (try isNear(query, reach: reach)) }
    let selected: String
    switch output {
    case .keys: selected = Self.column(Self.rootAlias, ColumnNaming.key)
    case .rows: selected = try table(query.className).selection(Self.rootAlias)
    case .count: return try aggregated([.count], query, condition)
    case .aggregates(let terms): return try aggregated(try aggregates(terms), query, condition)
    case .groups(let paths, let terms):
      var values: [GroupSQL] = []
      for path in paths { values.append(try group(path)) }
      return try aggregated([.count] + aggregates(terms), by: values, query, condition)
    }
    let order = try order(query.order)
    var text = "SELECT \(selected) FROM \(try source(query.className)) WHERE \(condition)"
    text += " ORDER BY \(order)"
    if let limit = query.limit { text += " LIMIT " + parameter(.int8(Int64(limit))) }
    if query.offset > 0 { text += " OFFSET " + parameter(.int8(Int64(query.offset))) }
    return SQLStatement(text, parameters.parameters)
  }

  /// Discards the state of an earlier statement.
  mutating func clear() {
    parameters = SQLStatement("")
    joins = []
    borders = []
    scope = Self.rootAlias
    aliasCount = 0
  }

  // MARK: Statement

  /// Returns the queried table and the joins.
  func source(_ className: String) throws(UntranslatablePart) -> String {
    let table = try table(className)
    return "\(table.quotedName) \(Self.rootAlias)" + joins.map(\.text).joined()
  }

  /// Returns the table of a class; nil for a class without a table.
  func tableIfKnown(_ className: String) -> PostgresTable? { tables[className] }

  func table(_ className: String) throws(UntranslatablePart) -> PostgresTable {
    guard let table = tables[className] else {
      throw UntranslatablePart(part: className, reason: "the class has no table on the server")
    }
    return table
  }

  /// Adds a parameter of the type of a value and returns its SQL.
  mutating func parameter(_ value: PostgresValue) -> String {
    parameters.parameter(value, value.type ?? .text, in: names)
  }

  /// Adds a parameter with a cast to a type and returns its SQL.
  mutating func parameter(_ value: PostgresValue, as type: PostgresType) -> String {
    parameters.parameter(value, type, in: names)
  }

  /// Returns the alias of the target table of a link, which is joined once per link.
  mutating func join(
    to className: String, on column: String
  ) throws(UntranslatablePart) -> String {
    if let join = joins.first(where: { $0.column == column }) { return join.alias }
    let alias = newAlias()
    let table = try table(className).quotedName
    joins.append(
      (
        column, alias,
        " LEFT JOIN \(table) \(alias) ON \(alias).\"\(ColumnNaming.key)\" = \(column)"
      ))
    return alias
  }

  /// Returns a new alias.
  mutating func newAlias() -> String {
    aliasCount += 1
    return "t\(aliasCount)"
  }

  // MARK: Order

  /// Returns the terms of ORDER BY: null first, then NaN, then values, then values behind a null link, unless a key
  /// places null elsewhere; rows with equal sort keys are in order of their row keys.
  private mutating func order(_ keys: [BoundSortKey]) throws(UntranslatablePart) -> String {
    var terms: [String] = []
    for key in keys {
      var operand = try operand(key.path)
      switch key.criterion {
      case .value: break
      case .text(.caseInsensitive): operand.text = Self.folded(operand.text)
      case .text(let collation):
        throw refused(key, "PostgreSQL orders texts with \(collation.suffix) by other rules")
      case .distance(let origin):
        let location = try location(operand, key.path)
        let angle = Self.angle(
          degrees(origin), (location.longitude, location.latitude))
        terms.append("(\(angle)) \(key.isAscending ? "ASC" : "DESC") NULLS LAST")
        continue
      case .relevance: throw refused(key, "PostgreSQL ranks words by other rules")
      }
      let direction = key.isAscending ? " ASC" : " DESC"
      if let nulls = key.nulls {
        terms.append("(\(operand.text) IS NULL) \(nulls == .last ? "ASC" : "DESC")")
      } else {
        if let isBehindNull = operand.isBehindNull { terms.append("(\(isBehindNull))" + direction) }
        terms.append("(\(operand.text) IS NOT NULL)" + direction)
      }
      switch operand.kind {
      case .value(.date): terms.append(operand.text + direction)
      case .value(let type):
        guard type != .geometry else { throw refused(key, "geometries have another order there") }
        if [.float, .double, .decimal128].contains(type) {
          terms.append("(\(operand.text) <> 'NaN')" + direction)
        }
        terms.append(operand.text + direction)
      case .link: terms.append(operand.text + direction)
      case .embedded, .coordinates:
        throw refused(key, "an embedded object has no order")
      }
    }
    terms.append("\(Self.column(Self.rootAlias, ColumnNaming.key)) ASC")
    return terms.joined(separator: ", ")
  }

  // MARK: Logic

  /// Returns the negation, which is true for null.
  static func not(_ condition: String) -> String { "((\(condition)) IS DISTINCT FROM true)" }
}
