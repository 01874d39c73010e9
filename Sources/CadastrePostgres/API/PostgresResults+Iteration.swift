import Cadastre
import CadastreStore

/// The rows of results, read through a cursor of the server.
struct RowIterator<Element: Object> {
  private let results: PostgresResults<Element>
  private var cursor: RowCursor?
  private var rows: ArraySlice<ImportRow> = []
  private var isAtEnd = false

  init(_ results: PostgresResults<Element>) { self.results = results }

  /// Returns the next rows in the order of the results; none at the end.
  mutating func batch() async throws -> (rows: [ImportRow], cursor: RowCursor)? {
    guard !isAtEnd else { return nil }
    let cursor: RowCursor
    if let open = self.cursor {
      cursor = open
    } else {
      cursor = try await RowCursor(results.query(), results.store.pool)
      self.cursor = cursor
    }
    let rows = try await cursor.next(staysOpen: !results.links.isEmpty)
    isAtEnd = rows.isEmpty
    return isAtEnd ? nil : (rows, cursor)
  }
}

extension PostgresResults: AsyncSequence {
  /// Reads the objects in the order of the results.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iterator that reads objects through a cursor of the server.
  public struct Iterator: AsyncIteratorProtocol {
    private var rows: RowIterator<Element>
    private let links: [LoadedLink]
    private var objects: ArraySlice<Element> = []

    init(_ results: PostgresResults) {
      rows = RowIterator(results)
      links = results.links
    }

    /// Returns the next object; nil at the end.
    ///
    /// - Throws: ``PostgresError``, ``UntranslatablePart`` for a part without exact translation,
    ///   ``PostgresMappingError`` if the database has no such class, `QueryPredicateError`, or
    ///   `InvalidValueError` for a value that does not fit the class.
    public mutating func next() async throws -> Element? {
      if objects.isEmpty, let (batch, cursor) = try await rows.batch() {
        var made: [Element] = []
        for row in batch {
          made.append(
            try DetachedObjects.object(Element.self, row, cursor.layout, from: cursor.pool))
        }
        for link in links { try await link.load(batch, made, cursor) }
        objects = made[...]
      }
      return objects.popFirst()
    }
  }
}
