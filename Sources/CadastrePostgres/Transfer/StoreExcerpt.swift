import CadastreModel
package import CadastrePredicate
package import CadastreStore
import Foundation

/// A temporary store with the objects of some queries of a database, for operations that run on a store.
package enum StoreExcerpt {
  /// Copies the objects of queries, and the classes to which their links lead, to a temporary store.
  ///
  /// The objects of a class to which links lead are all copied, and so are those of a query with a part
  /// that PostgreSQL cannot run with the same meaning; the caller runs the queries again on the store.
  /// The store is deleted when its last snapshot is released.
  ///
  /// - Parameters:
  ///   - queries: The queries, each of another class, without limits.
  ///   - classes: The classes of the database.
  ///   - connection: The connection.
  /// - Returns: A snapshot of the store.
  /// - Throws: ``PostgresMappingError``, ``PostgresError`` or `StoreError`.
  package static func read(
    _ queries: [BoundQuery], _ classes: RemoteClasses, _ connection: PostgresConnection
  ) async throws -> Snapshot {
    let (names, targets) = links(from: queries.map(\.className), classes)
    var selections: [String: RemoteQuery] = [:]
    for query in queries where !targets.contains(query.className) {
      var query = RemoteQuery(classes, query)
      query.bound.order = []
      if query.isTranslated { selections[query.bound.className] = query }
    }
    let pull = try StorePull(classes, names: names.sorted(), only: selections)
    let file = try OpenStores.temporaryStore(UUID().uuidString)
    let transaction = try file.beginWrite()
    do {
      try await pull.run(in: transaction, connection)
      try transaction.commit()
    } catch {
      transaction.rollback()
      throw error
    }
    return try file.snapshot()
  }

  /// A temporary store without objects that has a class and those to which its links lead.
  ///
  /// - Throws: `StoreError`.
  package static func empty(_ className: String, _ classes: RemoteClasses) throws -> Snapshot {
    let file = try OpenStores.temporaryStore(UUID().uuidString)
    try file.prepare(
      for: Schema(classes.schema.classes(links(from: [className], classes).names.sorted())))
    return try file.snapshot()
  }

  /// The names of classes and of those to which their links lead, and the targets of links.
  private static func links(
    from first: [String], _ classes: RemoteClasses
  ) -> (names: Set<String>, targets: Set<String>) {
    var names: Set<String> = []
    var targets: Set<String> = []
    var waiting = first
    while let name = waiting.popLast() {
      guard names.insert(name).inserted else { continue }
      for owner in classes.schema.classes([name]) {
        for property in owner.properties where property.type == .object {
          guard let target = classes.schema.target(of: property), !target.isEmbedded else {
            continue
          }
          targets.insert(target.className)
          waiting.append(target.className)
        }
      }
    }
    return (names, targets)
  }
}
