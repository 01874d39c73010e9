package import CadastreModel
package import CadastrePredicate
package import CadastreStore

/// A compiled predicate on rows in memory, which runs the filters of stored rows.
package final class RowFilter {
  private let layout: TableLayout
  private let rows: any RowProvider
  private let columns: [ColumnReference]
  private let filter: any BatchFilter
  /// The batch of one row, whose memory each test uses again.
  private var batch: ColumnBatch

  /// Compiles a predicate.
  ///
  /// - Parameters:
  ///   - predicate: The predicate, bound to the schema of the rows.
  ///   - className: The class of the rows that are tested.
  ///   - rows: The rows.
  /// - Throws: ``QueryPredicateError`` for a class without a table.
  package convenience init(
    _ predicate: BoundPredicate, on className: String, of rows: any RowProvider
  ) throws {
    guard let layout = rows.catalogue.layout(className) else {
      throw QueryPredicateError(
        .invalidQuery, "class '\(className)' has no objects of its own; query their owners")
    }
    try self.init(predicate, layout, nil, PathTraversal(rows.catalogue.schema, rows))
  }

  /// Compiles a predicate on the objects that are embedded in the rows of a class, or on the rows themselves.
  ///
  /// - Parameters:
  ///   - predicate: The predicate, bound to the schema with the class of the objects.
  ///   - layout: The rows.
  ///   - embedded: The embedded object; nil for the row's own.
  ///   - schema: The classes, with their computed properties.
  ///   - reader: The store.
  /// - Throws: The error of a read.
  package convenience init(
    _ predicate: BoundPredicate, on layout: TableLayout, embedded: EmbeddedLayout?,
    _ schema: Schema, _ reader: any StoreReader
  ) throws {
    try self.init(predicate, layout, embedded, PathTraversal(schema, StoreRows(reader)))
  }

  private init(
    _ predicate: BoundPredicate, _ layout: TableLayout, _ embedded: EmbeddedLayout?,
    _ traversal: PathTraversal
  ) throws {
    var compiler = FilterCompiler(layout, traversal, embedded: embedded)
    filter = try compiler.filter(PredicateRules.simplified(predicate))
    columns = compiler.request.columns
    batch = ColumnBatch(columns)
    self.layout = layout
    rows = traversal.rows
  }

  /// Returns whether a row matches; false where there is none with the key.
  ///
  /// - Throws: The error of the rows.
  package func matches(_ key: Int64) throws -> Bool {
    batch.removeAll()
    guard try rows.append(key, layout, columns, to: &batch) else { return false }
    return try !filter.matching(batch).isEmpty
  }
}
