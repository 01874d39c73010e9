import CadastreDatasets

/// Pages of objects.
extension ExplorerService {
  private struct PageIsFull: Error {}

  /// Calls a closure with the objects of a page.
  ///
  /// - Parameters:
  ///   - page: The keys of existing objects; those after the last object of the page are removed.
  ///   - query: The query that reads the objects.
  ///   - body: The closure, which returns whether the page may have another object.
  /// - Throws: `StoreError`, or the error of the closure.
  func forEachRecord(
    of page: inout [Int64], _ query: StoreQuery, _ body: (StoredRecord, Int64) throws -> Bool
  ) throws {
    var count = 0
    do {
      try query.forEachRecord(page) { record in
        count += 1
        guard try body(record, page[count - 1]) else { throw PageIsFull() }
      }
    } catch is PageIsFull {
      page.removeLast(page.count - count)
    }
  }
}
