import Cadastre
import CadastreExecutor
package import CadastreGeometry
package import CadastreModel
package import CadastrePlanner
package import CadastrePredicate
package import CadastreStore
import Foundation

/// A question to a store of which nothing is known but its file.
package struct StoreQuestion {
  /// The class.
  package let layout: TableLayout
  /// The question, bound to the store's schema.
  package let query: ObjectQuery
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
      self.query = try QuerySession.bound(query, to: schema)
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

  private var session: QuerySession { QuerySession(snapshot, options: options) }

  /// The number of objects.
  package func count() throws -> Int { try session.count(query) }

  /// The keys of the objects, in order.
  package func keys() throws -> [Int64] { try session.keys(query).keys }

  /// The object with a key.
  package func record(_ key: Int64) throws -> StoredRecord? {
    guard let row = try snapshot.row(layout, ObjectKey(key)) else { return nil }
    let record = try StoredRecord(row, layout, ObjectKey(key), snapshot)
    return distance?.added(to: record) ?? record
  }

  /// The plan as text.
  package func explain(_ options: PlanText.Options, measuring: Bool) throws -> String {
    try session.explain(query, options, measuring: measuring)
  }

  /// The plan as JSON.
  package func explainJSON(measuring: Bool) throws -> String {
    try session.explainJSON(query, measuring: measuring)
  }

  /// The conditions that ask for a region, for a map.
  package var regions: [GeoWithin] { query.predicate.regions }

  // MARK: Columns

  /// The paths that are shown of an object: those named, or all properties, embedded ones member by
  /// member and places as one.
  package func columns(_ named: String?) throws(QueryPredicateError) -> [PropertyPath] {
    let distances = distance.map { [$0.path] } ?? []
    guard let named else { return allColumns(layout.schema, prefix: []) + distances }
    var columns: [PropertyPath] = []
    for name in named.split(separator: ",", omittingEmptySubsequences: false) {
      let path = PropertyPath(name.trimmingCharacters(in: .whitespaces))
      _ = try snapshot.catalogue.schema.resolve(path, from: layout.schema)
      columns.append(path)
    }
    return columns + distances
  }

  private func allColumns(_ schema: ObjectSchema, prefix: [String]) -> [PropertyPath] {
    schema.properties.flatMap { property -> [PropertyPath] in
      let names = prefix + [property.name]
      guard property.collection == nil,
        let target = snapshot.catalogue.schema.target(of: property), target.isEmbedded,
        !target.isPointShaped
      else { return [PropertyPath(names)] }
      return allColumns(target, prefix: names)
    }
  }

  /// Those of some columns that hold numbers.
  package func numeric(_ columns: [PropertyPath]) -> Set<PropertyPath> {
    Set(
      columns.filter { path in
        if path == distance?.path { return true }
        let leaf = try? snapshot.catalogue.schema.resolve(path, from: layout.schema).leaf
        return leaf?.type.isNumeric == true
      })
  }

  private static func sortKeys(_ text: String) throws(QueryPredicateError) -> [SortKey] {
    var keys: [SortKey] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: " ").map(String.init)
      let direction = words.count > 1 ? words[1].lowercased() : "asc"
      guard (1...2).contains(words.count), ["asc", "desc"].contains(direction) else {
        throw QueryPredicateError(
          .sort, "expected 'FIELD', 'FIELD asc' or 'FIELD desc', found '\(part)'")
      }
      keys.append(SortKey(PropertyPath(words[0]), isAscending: direction == "asc"))
    }
    return keys
  }
}
