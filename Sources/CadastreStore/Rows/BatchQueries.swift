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
    /// The query for the rows with ``BatchQueries/listedKeys`` keys, in the order of the keys.
    let byKeys: SQLText

    fileprivate init(all: String, listed: String, key: String) {
      self.all = all
      byKeys = SQLText(listed)
      byKey = SQLText("\(all) WHERE \(key) = ?")
    }
  }

  // A list, because a class has few sets of columns that queries read, and hashing one of them takes longer
  // than comparing them all.
  private let known = Guarded<[(columns: [Int], texts: Texts)]>([])
  private static let maximumCount = 64
  /// The number of keys in a query for several rows; with more of them it takes longer to prepare, and no less
  /// time for each row.
  static let listedKeys = 16

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
      let listed = RowSource.listed(layout, count: Self.listedKeys)
      return Texts(
        all: source.query(columns, catalogue), listed: listed.query(columns, catalogue),
        key: source.key)
    }
    // A key path would be applied at run time here, which takes longer than the comparison below.
    guard columns.allSatisfy({ $0.hops.isEmpty }) else { return made() }
    let found = known.withLock { known in
      known.first { $0.columns.elementsEqual(columns.lazy.map(\.column)) }?.texts
    }
    if let found { return found }
    let texts = made()
    known.withLock { known in
      if known.count == Self.maximumCount { known.removeFirst() }
      known.append((columns.map(\.column), texts))
    }
    return texts
  }
}
