import CadastreDatasets
import CadastreGeometry
import CadastrePostgres
import CadastrePredicate
import CadastreStore

extension RemoteDatabase {
  /// The objects of a class that a command needs.
  struct Selection: Sendable {
    let className: String
    let predicate: String?
    let arguments: [PredicateArgument]
    let edges: EdgeModel
    let regions: [RegionCondition]

    init(
      _ className: String, _ predicate: String?, _ arguments: [PredicateArgument] = [],
      _ edges: EdgeModel = .spherical, _ regions: [RegionCondition] = []
    ) {
      self.className = className
      self.predicate = predicate
      self.arguments = arguments
      self.edges = edges
      self.regions = regions
    }
  }

  /// Copies the objects of selections to a temporary store, on which a command runs.
  ///
  /// - Throws: `PostgresError`, or `QueryPredicateError` with the location in the predicate.
  func excerpt(_ selections: [Selection]) throws -> Snapshot {
    let database = self
    return try Blocking.wait {
      let connection = try await database.connection()
      let classes = try await RemoteClasses.read(connection)
      var queries: [BoundQuery] = []
      for selection in selections {
        queries.append(
          try ObjectQuery(selection.className).bound(
            to: classes.schema, predicate: selection.predicate, arguments: selection.arguments,
            edges: selection.edges, regions: selection.regions))
      }
      return try await StoreExcerpt.read(queries, classes, connection)
    }
  }
}
