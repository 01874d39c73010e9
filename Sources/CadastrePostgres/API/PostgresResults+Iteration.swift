import Cadastre
import CadastreStore

extension PostgresResults: AsyncSequence {
  /// Reads the objects in the order of the results.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iterator that reads objects through a cursor of the server.
  public struct Iterator: AsyncIteratorProtocol {
    private let results: PostgresResults
    private var cursor: RowCursor?
    private var rows: ArraySlice<ImportRow> = []
    private var isAtEnd = false

    init(_ results: PostgresResults) { self.results = results }

    /// Returns the next object; nil at the end.
    ///
    /// - Throws: ``PostgresError``, ``UntranslatablePart`` for a part without exact translation,
    ///   ``PostgresMappingError`` if the database has no such class, `QueryPredicateError`, or
    ///   `InvalidValueError` for a value that does not fit the class.
    public mutating func next() async throws -> Element? {
      if rows.isEmpty, !isAtEnd {
        let cursor: RowCursor
        if let open = self.cursor {
          cursor = open
        } else {
          cursor = try await RowCursor(results.query(), results.store.pool)
          self.cursor = cursor
        }
        rows = try await cursor.next()[...]
        isAtEnd = rows.isEmpty
      }
      guard let row = rows.popFirst(), let layout = cursor?.layout else { return nil }
      return try DetachedObjects.object(Element.self, row, layout)
    }
  }
}
