import CadastreEngine
package import CadastreGeometry
import CadastreModel
package import CadastrePlanner
package import CadastrePredicate
package import CadastreStore
import Foundation

/// A question to a store of which nothing is known but its file.
package struct StoreQuery {
  /// The class.
  package let layout: TableLayout
  /// The question, bound to the store's schema.
  package let bound: BoundQuery
  private let snapshot: Snapshot
  private let options: Planner.Options
  private let distance: DistanceColumn?

  /// Asks a store.
  ///
  /// Without a predicate it asks for every object. The order is written "FIELD [asc|desc], …".
  /// With a place to be near the nearest come first, and have a column more: the distance in metres.
  /// Without indexes nothing but a scan is considered.
  ///
  /// - Throws: `StoreError` or ``QueryPredicateError``.
  package init(
    store: String, className: String, predicate: String?, arguments: [PredicateArgument] = [],
    order: String? = nil, near: GeoPoint? = nil, offset: Int = 0, limit: Int? = nil,
    edges: EdgeModel = .spherical, usesIndexes: Bool = true
  ) throws {
    snapshot = try OpenStores.store(at: store, mustExist: true).snapshot()
    let schema = snapshot.catalogue.schema
    var query = ObjectQuery(className, offset: offset, limit: limit)
    distance = try near.flatMap { try DistanceColumn($0, className, schema) }
    query.order = (distance.map { [$0.sortKey] } ?? []) + (try order.map(Self.sortKeys) ?? [])
    do throws(QueryPredicateError) {
      if let predicate {
        let parsed = try QueryPredicate(parsing: predicate, arguments: arguments)
        query.predicate = edges == .spherical ? parsed : parsed.withEdges(edges)
      }
      bound = try query.bound(to: schema)
    } catch {
      guard let predicate, error.span != nil else { throw error }
      throw error.found(in: predicate)
    }
    guard let layout = snapshot.catalogue.layout(className) else {
      throw StoreError(.corrupt("class '\(className)' has no table"), path: store)
    }
    self.layout = layout
    options = usesIndexes ? Planner.Options() : .withoutIndexes
  }

  /// A class of a schema whose objects can be asked.
  ///
  /// - Throws: ``QueryPredicateError`` that names the nearest where there is none of that name.
  static func root(
    _ className: String, in schema: Schema
  ) throws(QueryPredicateError) -> ObjectSchema {
    try schema.queriedClass(className)
  }

  /// The session that runs the query.
  var session: QuerySession { QuerySession(snapshot, options: options) }

  /// The number of objects.
  package func count() throws -> Int { try session.count(bound) }

  /// The keys of the objects, in order.
  package func keys() throws -> [Int64] { try session.keys(bound).keys }

  /// The object with a key.
  package func record(_ key: Int64) throws -> StoredRecord? {
    try snapshot.row(layout, ObjectKey(key)).map { try record($0, key) }
  }

  private func record(_ row: [Value], _ key: Int64) throws -> StoredRecord {
    let record = try StoredRecord(row, layout, ObjectKey(key), snapshot)
    return distance?.added(to: record) ?? record
  }

  /// Goes through the objects with some keys, in their order.
  package func forEachRecord(_ keys: [Int64], _ body: (StoredRecord) throws -> Void) throws {
    var rows = RowPrefetcher(layout, snapshot)
    for index in keys.indices {
      guard let row = try rows.row(keys[index...]) else { continue }
      try body(try record(row, keys[index]))
    }
  }

  /// Writes objects in the given order, and hands over the text piece by piece.
  ///
  /// - Complexity: O(n), in memory that does not grow with n; tables alone are kept whole.
  package func write(
    _ keys: [Int64], with writer: inout RecordWriter, to body: ([UInt8]) throws -> Void
  ) throws {
    try forEachRecord(keys) { record in
      writer.append(record)
      if writer.waitingBytes > Self.pieceBytes { try body(writer.take()) }
    }
    writer.finish()
    try body(writer.take())
  }

  private static let pieceBytes = 1 << 16

  /// The plan as text.
  package func explain(_ options: PlanText.Options, measuring: Bool) throws -> String {
    try session.explain(bound, options, measuring: measuring)
  }

  /// The plan as JSON.
  package func explainJSON(measuring: Bool) throws -> String {
    try session.explainJSON(bound, measuring: measuring)
  }

  /// The conditions that ask for a region, for a map.
  package var regions: [GeoWithin] { bound.predicate.named.regions }

  // MARK: Columns

  /// The property that tells the objects apart; nil where there is none.
  package var primaryKey: String? { layout.schema.primaryKeyProperty?.name }

  /// What is shown of an object: the fields named, or all properties, embedded ones member by member and
  /// places as one.
  package func columns(_ named: String?) throws(QueryPredicateError) -> [OutputColumn] {
    let distances = distance.map { [OutputColumn($0.path, type: .double)] } ?? []
    guard let named else { return allColumns(layout.schema, prefix: []) + distances }
    var columns: [OutputColumn] = []
    for name in named.split(separator: ",", omittingEmptySubsequences: false) {
      let path = PropertyPath(name.trimmingCharacters(in: .whitespaces))
      columns.append(
        column(path, try snapshot.catalogue.schema.property(at: path, from: layout.schema)))
    }
    return columns + distances
  }

  private func allColumns(_ schema: ObjectSchema, prefix: [String]) -> [OutputColumn] {
    schema.properties.flatMap { property -> [OutputColumn] in
      let names = prefix + [property.name]
      // An embedded object that may hold another of its class is shown as a whole.
      guard snapshot.catalogue.schema.isInline(property),
        let target = snapshot.catalogue.schema.target(of: property), !target.isPointShaped
      else { return [column(PropertyPath(names), property)] }
      return allColumns(target, prefix: names)
    }
  }

  private func column(_ path: PropertyPath, _ property: Property?) -> OutputColumn {
    let isSingle = property?.collection == nil && property?.type != .object
    return OutputColumn(
      path, type: isSingle && property?.type != .any ? property?.type : nil,
      isPlace: property.map(snapshot.catalogue.schema.isPoint) == true)
  }

  /// The type of the single value at a path.
  ///
  /// - Throws: ``QueryPredicateError`` where none or several stand there.
  func valueType(at path: PropertyPath, for use: String) throws(QueryPredicateError) -> PropertyType
  {
    let bound = try snapshot.catalogue.schema.resolve(path, from: layout.schema)
    guard case .value(let type) = bound.end, !bound.isToMany, type != .data else {
      throw QueryPredicateError(
        .invalidQuery,
        "'\(use)': expected a field with a single value, and '\(path)' is \(bound.endDescription)")
    }
    return type
  }

  private static func sortKeys(_ text: String) throws(QueryPredicateError) -> [SortKey] {
    try SortText.parts(text).map { SortKey(PropertyPath($0.name), isAscending: $0.isAscending) }
  }
}
