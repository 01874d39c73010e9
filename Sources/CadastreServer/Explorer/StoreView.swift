import CadastreDatasets
import CadastreEngine
import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreStore

/// One version of the store as a request sees it: with the visible classes, and until the request is cancelled.
struct StoreView {
  let snapshot: Snapshot
  /// The visible classes and fields.
  let schema: Schema
  private let scope: QueryScope

  init(_ snapshot: Snapshot, _ visibility: Visibility) {
    self.snapshot = snapshot
    schema = visibility.schema(snapshot.catalogue.schema)
    scope = QueryScope(schema: visibility.isLimited ? schema : nil, namesOptions: false)
  }

  /// The number of the version.
  var version: Int64 { snapshot.version }

  /// The classes that can be queried.
  var classes: [ObjectSchema] { schema.objectSchema.filter { !$0.isEmbedded } }

  /// A session that runs queries on the version; it knows hidden fields too.
  var session: QuerySession { QuerySession(snapshot) }

  /// Returns a class that can be queried.
  func queriedClass(_ name: String) throws(RequestError) -> ObjectSchema {
    guard let root = schema[name], !root.isEmbedded else {
      throw .notFound("there is no class '\(name)'")
    }
    return root
  }

  /// Returns the query of a selection.
  ///
  /// - Throws: ``QueryPredicateError`` or `StoreError`; ``RequestError`` for an unknown class.
  func query(_ selection: Selection, limit: Int? = nil) throws -> StoreQuery {
    _ = try queriedClass(selection.className)
    var query = try StoreQuery(
      snapshot, className: selection.className, predicate: selection.predicate,
      arguments: selection.arguments, regions: selection.box.map { [.box($0)] } ?? [],
      order: selection.order, limit: limit, edges: .spherical, scope: scope)
    query.progress = { [connection = snapshot.connection] _ in try connection.checkCancellation() }
    return query
  }

  /// Ends a request that was cancelled.
  ///
  /// - Throws: `StoreError` where it was.
  func checkCancellation() throws(StoreError) { try snapshot.connection.checkCancellation() }
}
