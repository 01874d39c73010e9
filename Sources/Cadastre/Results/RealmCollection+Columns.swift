public import CadastreModel
import CadastreQuery
import CadastreStore

extension RealmCollection where Element: KeypathSortable {
  /// Returns the value of a property for each object, in order.
  ///
  ///     let names = realm.objects(Airport.self).where { $0.country == "FR" }.values(of: \.name)
  ///
  /// Equivalent to `map(\.name)` without creating objects: the values are read from the column cache or from
  /// the file, column by column.
  ///
  /// - Parameter keyPath: A property with a single value.
  /// - Returns: A value for each object.
  /// - Complexity: O(n).
  public func values<Value: RealmCollectionValue>(of keyPath: KeyPath<Element, Value>) -> [Value] {
    guard realm != nil, Value.propertyShape.type.isRead else {
      return map { $0[keyPath: keyPath] }
    }
    let path = PropertyPath(Element.propertyName(of: keyPath))
    return queryResult.columnValues(path) ?? map { $0[keyPath: keyPath] }
  }

  /// Returns the number of objects in intervals of equal width of a number.
  ///
  ///     for bin in airports.histogram(of: \.elevation, bins: 20) {
  ///       print(bin.lowerBound, bin.upperBound, bin.count)
  ///     }
  ///
  /// The bins reach from the least to the greatest value, and empty ones are included. Null, NaN and infinite
  /// values are ignored. Without values there are no bins; if all values are equal there is one.
  ///
  /// - Parameters:
  ///   - keyPath: A property with a number.
  ///   - bins: The number of bins; at least 1.
  /// - Returns: The bins, ascending.
  /// - Complexity: O(n) for n objects, which are not created.
  public func histogram<Number: AddableType>(
    of keyPath: KeyPath<Element, Number>, bins: Int = 10
  ) -> [HistogramBin] {
    HistogramBin.bins(
      bins,
      of: values(of: keyPath).lazy.compactMap { number in
        guard case .value(let value) = Number.content(of: number) else { return nil }
        return value.asDouble
      })
  }
}

extension PropertyType {
  /// Whether values of the type are complete without an object.
  fileprivate var isRead: Bool { self != .object && self != .any && self != .linkingObjects }
}

extension QueryResult {
  /// Returns the values at a path; nil if they are not in a column, or a value does not fit.
  fileprivate func columnValues<Result: RealmCollectionValue>(_ path: PropertyPath) -> [Result]? {
    var column = DecodedColumn<Result>(query: self)
    let isColumn = read(or: true) {
      try $0.forEachBatch(at: [path], keepsResult: true) { column.append($0[0], $1) }
    }
    return isColumn && column.results.count == count ? column.results : nil
  }
}

/// The Swift values decoded from a column.
private struct DecodedColumn<Result: RealmCollectionValue> {
  let query: QueryResult
  var results: [Result] = []

  /// Appends the values of rows; omits values that do not fit.
  @_specialize(where Result == Int)
  @_specialize(where Result == Double)
  @_specialize(where Result == String)
  mutating func append(_ column: BatchColumn, _ rows: RowSet) {
    if Result.self == Int.self, column.type == .int {
      // Fast path for integers, such as most ids, without a `Value` for each.
      var rows = rows
      column.keep(&rows, areNull: false)
      // Safe because `Result` is `Int`.
      var numbers = unsafeBitCast(results, to: [Int].self)
      results = []
      numbers.makeRoom(for: rows.count)
      column.appendIntegers(of: rows, to: &numbers)
      return results = unsafeBitCast(numbers, to: [Result].self)
    }
    for row in rows {
      if let result: Result = query.made(column.value(row)) { results.append(result) }
    }
  }
}

extension RealmCollection where Element: ObjectBase {
  /// Decodes a structure from each object, in order.
  ///
  ///     struct AirportRow: Decodable, Sendable {
  ///       let icao: String
  ///       let elevation: Double?
  ///       let city: String?
  ///
  ///       enum CodingKeys: String, CodingKey {
  ///         case icao, elevation
  ///         case city = "address.city"
  ///       }
  ///     }
  ///
  ///     let rows = try realm.objects(Airport.self).where { $0.country == "FR" }
  ///       .map(into: AirportRow.self)
  ///
  /// A coding key is the name of a property, or a path of names joined by dots through links and embedded
  /// objects. A member may also be a structure for an embedded or linked object, an array for a list or a
  /// set, or a dictionary for a map. A path with a null link yields null.
  ///
  /// The rows contain no objects: they do not change with the Realm, and other tasks may use them if their
  /// type is `Sendable`.
  ///
  /// - Parameter type: A type whose members the properties fill.
  /// - Returns: A row for each object.
  /// - Throws: `DecodingError.keyNotFound` for a key that does not name a property, also of an optional
  ///   member; `valueNotFound` for null in a required member; `typeMismatch` or `dataCorrupted` for a value
  ///   that does not fit its member. The coding path begins with the index of the row. ``Realm/Error`` if
  ///   reading fails.
  /// - Complexity: O(n · m) for n objects and m members. Each column is read once, without creating objects.
  ///   Collections and members of GeoJSON points are not columns, and require one object for each row.
  public func map<Row: Decodable>(into type: Row.Type) throws -> [Row] {
    guard let core = handle.source?.core else { return try rowsOfObjects(type) }
    let result = try Realm(core: core).throwingReadErrors {
      // A read error may also cause a decoding error; the read error is thrown.
      Result { try rows(type) }
    }
    if let failure = core.failure { throw failure }
    return try result.get()
  }

  private func rows<Row: Decodable>(_ type: Row.Type) throws -> [Row] {
    guard handle.source?.table != nil, !(handle.source is LinkSearch) else {
      return try rowsOfObjects(type)
    }
    let result = queryResult
    guard let table = result.table else { return try rowsOfObjects(type) }
    let columns = ResultColumns(result, table)
    return try (0..<columns.count).map { try type.init(row: .record(columns.row($0)), index: $0) }
  }

  private func rowsOfObjects<Row: Decodable>(_ type: Row.Type) throws -> [Row] {
    try Array(self).enumerated().map { index, object in
      try type.init(row: .record(ObjectRecord(object)), index: index)
    }
  }
}

extension Decodable {
  /// Decodes a row of a result.
  init(row content: RowContent, index: Int) throws {
    let path: [any CodingKey] = [RowKey(index)]
    self = try content.decoded(Self.self) { path }
  }
}

/// The columns of a result; a column is read for all objects when its first member is decoded.
final class ResultColumns {
  private let result: QueryResult
  private let table: ManagedTable
  private let keys: [Int64]
  private var members: [String: Member] = [:]
  private var object: (row: Int, record: ObjectRecord)?
  /// The number of objects created for members that are not columns; for tests.
  private(set) var objectsMade = 0

  /// A member of the class at the end of a path.
  private enum Member {
    /// The value of each row.
    case values([Value])
    /// The presence of an embedded object in each row, and its class.
    case objects([Value], ObjectSchema)
    /// The member is read from an object.
    case outside
    case missing
  }

  init(_ result: QueryResult, _ table: ManagedTable) {
    self.result = result
    self.table = table
    keys = result.keys
  }

  /// The number of rows.
  var count: Int { keys.count }

  /// Returns the row at an index.
  func row(_ index: Int) -> ColumnRecord {
    ColumnRecord(columns: self, index: index, prefix: "", schema: table.info.schema)
  }

  /// Returns the content of a row at a path; nil for an unknown path.
  func content(of path: String, row: Int) -> RowContent? {
    switch member(path) {
    case .values(let values): RowContent(values[row], in: result.core)
    case .objects(let presence, let schema):
      presence[row].isNull
        ? .null
        : .record(ColumnRecord(columns: self, index: row, prefix: path + ".", schema: schema))
    case .outside: record(row).content(of: path)
    case .missing: nil
    }
  }

  private func member(_ path: String) -> Member {
    if let known = members[path] { return known }
    let member = read(path)
    members[path] = member
    return member
  }

  private func read(_ path: String) -> Member {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let schema = result.core.schema
    guard let property = table.info.schema.property(at: names, schema.target) else {
      return .missing
    }
    guard property.collection == nil, let values = values(PropertyPath(path)) else {
      return .outside
    }
    guard property.type == .object else { return .values(values) }
    guard let target = schema.target(of: property) else { return .missing }
    return .objects(values, target)
  }

  /// Returns the values at a path, in the order of the result; nil if they are not in a column.
  private func values(_ path: PropertyPath) -> [Value]? {
    var values: [Value] = []
    values.reserveCapacity(keys.count)
    let isColumn = result.read(or: true) {
      try $0.session().forEachBatch(keys, of: $0.query.className, at: [path]) { _, columns, rows in
        for row in rows { values.append(columns[0].value(row)) }
      }
    }
    // After a read error there are fewer values than objects.
    return isColumn && values.count == keys.count ? values : nil
  }

  /// Returns the object of a row, shared by the members that are not columns.
  private func record(_ row: Int) -> ObjectRecord {
    if let object, object.row == row { return object.record }
    objectsMade += 1
    let position = ObjectPosition(ManagedRow(table, ObjectKey(keys[row])))
    let record = ObjectRecord(table.info.makeInstance(of: table.info.type, at: position))
    object = (row, record)
    return record
  }
}

/// A row of a result, or a linked or embedded object of the row.
struct ColumnRecord: RowRecord {
  let columns: ResultColumns
  let index: Int
  /// The path to the object, with a dot at the end; empty for the object of the row.
  let prefix: String
  let schema: ObjectSchema

  var names: [String] { schema.properties.map(\.name) }
  var hasFixedNames: Bool { true }
  var kindName: String { "class '\(schema.className)'" }

  func content(of name: String) -> RowContent? {
    columns.content(of: prefix.isEmpty ? name : prefix + name, row: index)
  }
}
