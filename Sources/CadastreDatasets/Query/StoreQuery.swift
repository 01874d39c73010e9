import CadastreFormatting
package import CadastreGeometry
package import CadastreModel
package import CadastrePredicate
package import CadastreQuery
package import CadastreStore
import Foundation

/// A query on a store file, whose schema is read from the file.
///
///     let query = try StoreQuery(
///       store: "a.cadastre", className: "Airport", predicate: "country == 'FR'")
///     try query.forEachRecord(query.keys()) { print($0) }
package struct StoreQuery {
  /// The table of the class.
  package let layout: TableLayout
  /// The query, bound to the schema of the store.
  package let bound: BoundQuery
  let snapshot: Snapshot
  let scope: QueryScope
  /// The classes and fields that the query may name.
  package let schema: Schema
  /// The class, with the fields that the query may name.
  let root: ObjectSchema
  private var options: Planner.Options
  private(set) var distance: DistanceColumn?
  /// The primary keys that take the place of links; nil to keep the links.
  private var linkKeys: LinkKeys?
  /// Whether areas and lengths in columns, and distances, are those on the ellipsoid of WGS 84.
  private var isOnEllipsoid = false
  /// Called with the number of objects that were read, at intervals; if it throws, reading ends.
  package var progress: (Int) throws -> Void = { _ in }

  /// Opens a store and binds a query.
  ///
  /// - Parameters:
  ///   - store: The path of the store.
  ///   - className: The class.
  ///   - predicate: The predicate; nil for all objects.
  ///   - arguments: The values of `$0`, `$1` … in the predicate.
  ///   - regions: Regions in which the first point of an object must be.
  ///   - order: The sort order: "FIELD [asc|desc][[cdn]] [nulls first|last], …".
  ///   - near: A point to sort by distance from; it adds a column with the distance in metres.
  ///   - offset: The number of objects to skip.
  ///   - limit: The maximum number of objects.
  ///   - edges: The model of the edges of boxes and polygons.
  ///   - usesIndexes: Whether to consider access paths other than a scan.
  /// - Throws: `StoreError`, or ``QueryPredicateError`` with the location in the predicate.
  package init(
    store: String, className: String, predicate: String?, arguments: [PredicateArgument] = [],
    regions: [RegionCondition] = [], order: String? = nil, near: GeoPoint? = nil, offset: Int = 0,
    limit: Int? = nil, edges: EdgeModel = .spherical, usesIndexes: Bool = true
  ) throws {
    try self.init(
      OpenStores.readableStore(at: store).snapshot(), className: className,
      predicate: predicate, arguments: arguments, regions: regions, order: order, near: near,
      offset: offset, limit: limit, edges: edges, usesIndexes: usesIndexes)
  }

  /// Returns the query with the primary keys of linked objects in place of links in its records.
  func withKeysOfLinks() -> StoreQuery {
    var query = self
    query.linkKeys = LinkKeys(of: layout.schema, in: snapshot.catalogue.schema, snapshot)
    return query
  }

  /// Lets areas and lengths in columns, and distances, be those on the ellipsoid of WGS 84, see ``EllipsoidMeasure``.
  package mutating func measureOnEllipsoid() {
    isOnEllipsoid = true
    distance?.isOnEllipsoid = true
  }

  /// Returns a query of another class in the same version of the store.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - predicate: The predicate; nil for all objects.
  /// - Returns: The query.
  /// - Throws: ``QueryPredicateError`` with the location in the predicate.
  package func query(of className: String, _ predicate: String?) throws -> StoreQuery {
    var query = try StoreQuery(snapshot, className: className, predicate: predicate, scope: scope)
    query.options = options
    return query
  }

  /// Binds a query to a version of a store.
  ///
  /// `conditions` are further conditions on the objects, and `scope` has the classes and fields that the
  /// query may name. The other parameters are those of
  /// ``init(store:className:predicate:arguments:regions:order:near:offset:limit:edges:usesIndexes:)``.
  ///
  /// - Throws: `StoreError`, or ``QueryPredicateError`` with the location in the predicate.
  package init(
    _ snapshot: Snapshot, className: String, predicate: String? = nil,
    arguments: [PredicateArgument] = [], conditions: [QueryPredicate] = [],
    regions: [RegionCondition] = [], order: String? = nil, near: GeoPoint? = nil, offset: Int = 0,
    limit: Int? = nil, edges: EdgeModel = .spherical, usesIndexes: Bool = true,
    scope: QueryScope = .commandLine
  ) throws {
    self.snapshot = snapshot
    self.scope = scope
    options = usesIndexes ? Planner.Options() : .withoutIndexes
    let schema = scope.schema ?? snapshot.catalogue.schema
    self.schema = schema
    root = try schema.queriedClass(className)
    var query = ObjectQuery(className, offset: offset, limit: limit)
    distance = try near.flatMap { try DistanceColumn($0, className, schema) }
    query.order = (distance.map { [$0.sortKey] } ?? []) + (try order.map(SortText.keys) ?? [])
    func bound(to schema: Schema) throws(QueryPredicateError) -> BoundQuery {
      try query.bound(
        to: schema, predicate: predicate, arguments: arguments, edges: edges,
        conditions: conditions, regions: regions, advisesOptions: scope.namesOptions)
    }
    // Names are checked in the scope; rows have all fields of the store.
    if scope.schema != nil { _ = try bound(to: schema) }
    self.bound = try bound(to: snapshot.catalogue.schema)
    guard let layout = snapshot.catalogue.layout(className) else {
      throw StoreError(.corrupt("class '\(className)' has no table"), path: snapshot.path)
    }
    self.layout = layout
  }

  /// Returns a class that can be queried.
  ///
  /// - Parameters:
  ///   - className: The name of the class.
  ///   - schema: The schema of the store.
  /// - Returns: The class.
  /// - Throws: ``QueryPredicateError`` that suggests a similar name if there is no such class.
  static func root(
    _ className: String, in schema: Schema
  ) throws(QueryPredicateError) -> ObjectSchema {
    try schema.queriedClass(className)
  }

  /// The session that runs the query.
  var session: QuerySession { QuerySession(snapshot, options: options) }

  /// Returns the number of matching objects.
  package func count() throws -> Int { try session.count(bound) }

  /// Returns the keys of the matching objects, sorted.
  package func keys() throws -> [Int64] { try session.keys(bound).keys }

  /// Returns the keys of the first object with each combination of values, in the order of the query.
  ///
  /// - Parameter fields: The fields, separated by commas.
  /// - Returns: The keys; objects behind a null link are left out.
  /// - Throws: ``QueryPredicateError`` for an unknown field, or `StoreError`.
  package func keys(distinct fields: String) throws -> [Int64] {
    var paths: [BoundPath] = []
    for name in fields.split(separator: ",", omittingEmptySubsequences: false) {
      let path = PropertyPath(String(name.trimmingBlanks()))
      _ = try valueType(at: path, for: scope.name(of: "distinct"))
      paths.append(try snapshot.catalogue.schema.resolve(path, from: layout.schema))
    }
    return try session.distinct(bound, by: paths)
  }

  /// Returns the keys of the first objects of each group, in the order of the query.
  ///
  /// - Parameters:
  ///   - count: The maximum number of objects of a group.
  ///   - fields: The fields, parts of dates, cells and calculations to group by, as in ``AggregateQuery``.
  /// - Returns: The keys.
  /// - Throws: ``QueryPredicateError`` for invalid syntax or an unknown field, or `StoreError`.
  /// - Complexity: O(n) in the number of matching objects.
  package func keys(top count: Int, per fields: String) throws -> [Int64] {
    let grouping = try Grouping(fields, of: self, for: scope.name(of: "per"))
    let keys = try keys()
    var list = GroupList()
    try grouping.group(keys, at: [], into: &list)
    var counts = [Int](repeating: 0, count: list.groups.count)
    return zip(keys, list.numbers).compactMap { key, group in
      counts[Int(group)] += 1
      return counts[Int(group)] <= count ? key : nil
    }
  }

  /// Returns the object with a key; nil if there is none.
  package func record(_ key: Int64) throws -> StoredRecord? {
    try snapshot.row(layout, ObjectKey(key)).map { try record($0, key) }
  }

  /// Returns the object of a row.
  func record(_ row: [Value], _ key: Int64) throws -> StoredRecord {
    var record = try StoredRecord(row, layout, ObjectKey(key), snapshot)
    if let linkKeys { record = try linkKeys.applied(to: record) }
    if scope.schema != nil { record = record.limited(to: root, in: schema) }
    return distance?.added(to: record) ?? record
  }

  /// Calls a closure with the object of each key, in the order of the keys.
  ///
  /// - Parameters:
  ///   - keys: The keys; those without an object are skipped.
  ///   - body: The closure.
  /// - Throws: `StoreError`, or the error of the closure.
  /// - Complexity: O(n) in the number of keys.
  package func forEachRecord(_ keys: [Int64], _ body: (StoredRecord) throws -> Void) throws {
    try forEachRow(keys) { try body(try record($0, $1)) }
  }

  /// Writes objects and passes the text to a closure in pieces.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects, in the order of the output.
  ///   - writer: The writer of the output format.
  ///   - body: The closure that receives the bytes.
  /// - Throws: `StoreError`, or the error of the closure.
  /// - Complexity: O(n) time and constant memory.
  package func write(
    _ keys: [Int64], with writer: inout RecordWriter, to body: ([UInt8]) throws -> Void
  ) throws {
    try forEachRecord(keys) { try writer.append($0, to: body) }
    try writer.finish(to: body)
  }

  /// Returns the plan as text.
  package func explain(_ options: PlanText.Options, measured: Bool) throws -> String {
    try session.explain(bound, options, measured: measured)
  }

  /// Returns the plan as JSON.
  package func explainJSON(measured: Bool) throws -> String {
    try session.explainJSON(bound, measured: measured)
  }

  /// The regions in the predicate, for a map.
  package var regions: [(shape: GeoShape, edges: EdgeModel)] { bound.predicate.regions }

  // MARK: Columns

  /// The name of the class.
  package var className: String { layout.schema.className }

  /// The name of the primary key; nil if there is none.
  package var primaryKey: String? { root.primaryKeyProperty?.name }

  /// Returns the columns of the output.
  ///
  /// - Parameter named: Paths separated by commas; nil for all properties, with the members of
  ///   embedded objects as single columns and points as one column.
  /// - Returns: The columns, followed by the distance if the query is sorted by it.
  /// - Throws: ``QueryPredicateError`` for an unknown path.
  package func columns(_ named: String?) throws(QueryPredicateError) -> [OutputColumn] {
    var columns = try ClassColumns(root, in: schema, isOnEllipsoid: isOnEllipsoid).columns(named)
    for index in columns.indices where columns[index].type == .date {
      columns[index].isDay = isDay(columns[index])
    }
    columns += distance.map { [OutputColumn($0.path, type: .double)] } ?? []
    try ClassColumns.requireDistinctNames(columns)
    return columns
  }

  /// Returns whether a column of the output contains days.
  func isDay(_ output: OutputColumn) -> Bool {
    guard let column = column(of: output) else { return false }
    // If the file cannot be read, reading the rows throws the error.
    return (try? snapshot.dayColumns(layout).contains(layout.columns[column].name)) ?? false
  }

  /// Returns the columns of a typed file, where a column has days only if all of its values are
  /// days.
  ///
  /// - Throws: ``QueryPredicateError`` for an unknown path, or `StoreError`.
  func typedColumns(_ named: String?) throws -> [OutputColumn] {
    var columns = try columns(named)
    for index in columns.indices where columns[index].isDay {
      columns[index].isDay = try dateForm(of: columns[index]) == .days
    }
    return columns
  }

  /// Returns the form of the dates of a column; microseconds for other columns.
  ///
  /// - Throws: `StoreError`.
  func dateForm(of column: OutputColumn) throws -> DateForm {
    try self.column(of: column).map { try snapshot.form(ofDates: $0, layout) } ?? .microseconds
  }

  /// Returns the column of a row that contains the dates of a column of the output; nil for other content.
  private func column(of output: OutputColumn) -> Int? {
    guard output.type == .date, output.expression == nil, output.path.isPlain else { return nil }
    if output.path.names.count == 1, let property = root.index(of: output.path.names[0]) {
      guard case .scalar(let column) = layout.fields[property] else { return nil }
      return column
    }
    return layout.columns.firstIndex { $0.name == output.path.description && $0.type == .date }
  }

  /// Returns the type of the single value at a path.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - use: The text in which the path is used, for the message.
  /// - Returns: The type.
  /// - Throws: ``QueryPredicateError`` if the path has no single value.
  func valueType(at path: PropertyPath, for use: String) throws(QueryPredicateError) -> PropertyType
  {
    let bound = try schema.resolve(path, from: root)
    guard case .value(let type) = bound.end, !bound.isToMany, type != .data else {
      throw QueryPredicateError(
        .invalidQuery,
        "'\(use)': expected a field with a single value, and '\(path)' is \(bound.endDescription)")
    }
    return type
  }
}

extension ObjectQuery {
  /// Parses the predicate of the query and binds the query.
  ///
  /// - Parameters:
  ///   - schema: The schema of the store.
  ///   - predicate: The predicate; nil for all objects.
  ///   - arguments: The values of `$0`, `$1` … in the predicate.
  ///   - edges: The model of the edges of boxes and polygons in the predicate.
  ///   - conditions: Further conditions, in the names of the class.
  ///   - regions: Regions in which the first point of an object must be.
  ///   - advisesOptions: Whether errors for keywords of SQL name the option of the command line.
  /// - Returns: The bound query.
  /// - Throws: ``QueryPredicateError`` with the location in the predicate.
  package func bound(
    to schema: Schema, predicate: String?, arguments: [PredicateArgument], edges: EdgeModel,
    conditions: [QueryPredicate] = [], regions: [RegionCondition] = [],
    advisesOptions: Bool = true
  ) throws(QueryPredicateError) -> BoundQuery {
    var query = self
    var conditions = conditions
    for region in regions { conditions.append(try region.predicate(className, schema)) }
    do throws(QueryPredicateError) {
      if let predicate {
        var parsed = try QueryPredicate(parsing: predicate, arguments: arguments)
        try PredicateAdvice.validate(parsed)
        if let root = schema[className] { parsed = parsed.withoutNullsOfRequired(of: root) }
        conditions.insert(edges == .spherical ? parsed : parsed.withEdges(edges), at: 0)
      }
      query.predicate = .all(conditions)
      return try query.bound(to: schema)
    } catch {
      guard let predicate, error.span != nil else { throw error }
      let root = schema[className]
      throw (advisesOptions ? PredicateAdvice.advised(error, in: predicate, of: root) : error)
        .found(in: predicate)
    }
  }
}

/// The classes and fields that a query may name, and the form of its messages.
package struct QueryScope: Sendable {
  /// The classes and fields that a query may name; nil for the schema of the store.
  package var schema: Schema?
  /// Whether messages name the options of the command line.
  package var namesOptions: Bool

  /// A scope of all classes, for the command line.
  package static let commandLine = QueryScope(schema: nil, namesOptions: true)

  /// Creates a scope.
  package init(schema: Schema?, namesOptions: Bool) {
    (self.schema, self.namesOptions) = (schema, namesOptions)
  }

  /// The name of a parameter in messages: `--by`, or `by`.
  func name(of option: String) -> String { namesOptions ? "--\(option)" : option }
}

extension QueryPredicate {
  /// Returns the predicate in which no required property is null, as in SQL; elsewhere such a comparison is an error.
  fileprivate func withoutNullsOfRequired(of root: ObjectSchema) -> QueryPredicate {
    switch self {
    case .and(let parts): return .and(parts.map { $0.withoutNullsOfRequired(of: root) })
    case .or(let parts): return .or(parts.map { $0.withoutNullsOfRequired(of: root) })
    case .not(let part): return .not(part.withoutNullsOfRequired(of: root))
    case .comparison(let comparison):
      guard [.equal, .notEqual].contains(comparison.operation),
        case .property(let path) = comparison.left, case .value(.null) = comparison.right,
        path.names.count == 1, let property = root[path.names[0]], !property.isOptional,
        property.collection == nil, ![.any, .object, .linkingObjects].contains(property.type)
      else { return self }
      return .constant(comparison.operation == .notEqual)
    default: return self
    }
  }
}

/// Advice for predicates in the syntax of SQL, which has another meaning in predicates.
enum PredicateAdvice {
  /// Throws for a pattern of LIKE with wildcards of SQL, which match nothing here.
  static func validate(_ predicate: QueryPredicate) throws(QueryPredicateError) {
    for (pattern, span) in predicate.likePatterns
    where pattern.contains("%") && !pattern.contains(where: { "*?\\".contains($0) }) {
      let shown = printable(pattern.prefix(60))
      throw QueryPredicateError(
        .invalidQuery,
        "the wildcards of LIKE are * and ?: expected LIKE '\(shown.replacing("%", with: "*"))', found "
          + "LIKE '\(shown)'; for text with a percent sign use CONTAINS, BEGINSWITH or ENDSWITH",
        span: span)
    }
  }

  /// Returns an error with what a user may have meant: text without quotes, a name with blanks, a predicate that the
  /// shell has cut, or the option that corresponds to a keyword of SQL.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - text: The predicate.
  ///   - root: The class; nil if it is unknown.
  /// - Returns: The error with another message, or the same error.
  static func advised(
    _ error: QueryPredicateError, in text: String, of root: ObjectSchema?
  ) -> QueryPredicateError {
    guard let span = error.span else { return error }
    let scalars = text.unicodeScalars
    let before = String(String.UnicodeScalarView(scalars.prefix(span.offset)))
      .trimmingBlanks()
    let rest = String(String.UnicodeScalarView(scalars.dropFirst(span.offset)))
    var error = error
    if error.kind == .syntax, let option = options[rest.prefix { $0.isLetter }.uppercased()] {
      error.message =
        "a predicate only says which objects match; instead of "
        + "\(rest.prefix { $0.isLetter }.uppercased()) use the option \(option)"
    } else if let name = nameWithMarks(in: text, of: root) {
      error.message +=
        "; a blank or a mark in a name follows a backslash: \(printable(PropertyPath([name]).predicateText))"
    } else if error.kind == .syntax, let words = counterpart(before, rest) {
      error.message += "; the language has \(words)"
    } else if error.kind != .syntax, let last = before.last, "=<>".contains(last),
      let word = rest.wholeMatch(of: /\s*([\p{L}_][\w\p{L}-]*)\s*/)?.1
    {
      error.message += "; text is in quotes: '\(printable(word))'"
    } else if error.kind == .syntax, rest.isEmpty,
      text.wholeMatch(of: /\s*[\p{L}_][\w\p{L}.]*\s*/) != nil
    {
      error.message +=
        "; a predicate is one argument in quotes, because the shell takes > and < for itself"
    }
    return error
  }

  /// Returns the name of a property with a blank or another mark that a text contains; nil if there is none.
  private static func nameWithMarks(in text: String, of root: ObjectSchema?) -> String? {
    root?.properties.map(\.name).first { name in
      let written = PropertyPath([name]).predicateText
      return written.contains("\\") && !text.contains(written)
        && (text.contains(name) || text.contains(name.replacing(" ", with: "\\ ")))
    }
  }

  /// Returns what the language has for an operator or a function of SQL at the place of an error; nil for other words.
  private static func counterpart(_ before: Substring, _ rest: String) -> String? {
    let isCall = rest.hasPrefix("(")
    let word = isCall ? before.suffixWord : rest[...].prefix { $0.isLetter || $0 == "_" }
    return rest.hasPrefix("~") ? counterparts["REGEXP"] : counterparts[word.uppercased()]
  }

  private static let counterparts: [String: String] = {
    let shapes = "GEOWITHIN and GEOINTERSECTS, as in location GEOWITHIN $0 with --arg"
    let cases = "[c] after an operator, as in name ==[c] 'paris'"
    let expression = "MATCHES, as in name MATCHES '.*burg'"
    return [
      "ILIKE": "LIKE[c], as in name LIKE[c] '*burg'", "STARTSWITH": "BEGINSWITH",
      "STARTS": "BEGINSWITH", "ENDS": "ENDSWITH", "REGEXP": expression, "RLIKE": expression,
      "SIMILAR": expression, "UPPER": cases, "LOWER": cases, "WITHIN": shapes,
      "INTERSECTS": shapes, "ST_WITHIN": shapes, "ST_CONTAINS": shapes,
      "ST_INTERSECTS": shapes, "ST_DWITHIN": "--within 5km --of LON,LAT",
    ]
  }()

  private static let options = [
    "LIMIT": "--limit N", "OFFSET": "--offset N", "ORDER": "--sort 'FIELD desc'",
    "SORT": "--sort 'FIELD desc'", "DISTINCT": "--distinct FIELD",
    "GROUP": "--by FIELD of cadastre aggregate", "HAVING": "--having of cadastre aggregate",
  ]
}

extension Substring {
  /// The letters, digits and underscores at the end.
  fileprivate var suffixWord: Substring {
    self[
      (lastIndex { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(index(after:)) ?? startIndex)...]
  }
}
