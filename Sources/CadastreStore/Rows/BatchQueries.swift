import CadastreModel
import CadastreSQLite

/// The texts of the queries that read columns of a class's rows in batches, kept for each set of columns.
final class BatchQueries: Sendable {
  /// The texts of the queries for some columns.
  final class Texts: Sendable {
    /// The query for the key and the columns of all rows, without conditions.
    let all: String
    /// The query for the row with a key.
    let byKey: SQLText
    /// The query for the rows with keys between two bounds, in order.
    let byRange: SQLText

    fileprivate init(all: String, key: String) {
      self.all = all
      byKey = SQLText("\(all) WHERE \(key) = ?")
      byRange = SQLText("\(all) WHERE \(key) BETWEEN ? AND ? ORDER BY \(key)")
    }
  }

  private let texts = Guarded(BoundedCache<[Int], Texts>(maximumCount: 64, maximumCost: .max))

  /// Returns the texts of the queries for some columns.
  ///
  /// - Parameters:
  ///   - columns: The columns, also of linked classes.
  ///   - layout: The layout to which these queries belong.
  ///   - catalogue: The classes.
  /// - Returns: The texts; those of columns of the class itself are put together once.
  func texts(
    of columns: [ColumnReference], _ layout: TableLayout, _ catalogue: Catalogue
  ) -> Texts {
    func made() -> Texts {
      let source = RowSource.objects(layout)
      return Texts(all: source.query(columns, catalogue), key: source.key)
    }
    guard columns.allSatisfy(\.hops.isEmpty) else { return made() }
    let numbers = columns.map(\.column)
    if let known = texts.withLock({ $0.value(for: numbers) }) { return known }
    let texts = made()
    self.texts.withLock { $0.insert(texts, for: numbers, cost: 1) }
    return texts
  }
}
