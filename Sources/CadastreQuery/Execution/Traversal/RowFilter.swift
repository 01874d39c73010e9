import CadastreModel
package import CadastrePredicate
import CadastreStore

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
  package init(
    _ predicate: BoundPredicate, on className: String, of rows: any RowProvider
  ) throws {
    guard let layout = rows.catalogue.layout(className) else {
      throw QueryPredicateError(
        .invalidQuery, "class '\(className)' has no objects of its own; query their owners")
    }
    var compiler = FilterCompiler(layout, PathTraversal(rows.catalogue.schema, rows))
    filter = try compiler.filter(PredicateRules.simplified(predicate))
    columns = compiler.request.columns
    batch = ColumnBatch(columns)
    self.layout = layout
    self.rows = rows
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
