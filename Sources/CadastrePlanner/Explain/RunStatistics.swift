/// What a run of a plan measured.
package struct RunStatistics: Hashable, Sendable {
  /// Rows that the access path gave.
  package var accessRows = 0
  /// Rows that each of several ways gave which the access path brings together, in the order in which
  /// they are printed.
  package var partRows: [Int] = []
  /// Rows left after the filters.
  package var matchedRows = 0
  /// Rows of the answer.
  package var answerRows = 0
  /// Rows read from the table.
  package var rowsRead = 0
  /// Segments of columns that were in memory.
  package var segmentsInMemory = 0
  /// Segments of columns that were read from the file, and are kept in memory from now on.
  package var segmentsRead = 0
  /// Nodes of a spatial index read.
  package var nodesRead = 0
  /// Boxes of a spatial index compared with a region or a place.
  package var boxesTested = 0
  /// Points asked one by one for their exact place.
  package var exactTests = 0
  /// Time from the first step to the answer.
  package var seconds = 0.0
  /// The part of it in which the access path was at work.
  package var accessSeconds = 0.0

  /// Nothing measured yet.
  package init() {}

  /// Counts what a run within the run has read and asked.
  package mutating func add(_ inner: RunStatistics) {
    rowsRead += inner.rowsRead
    segmentsInMemory += inner.segmentsInMemory
    segmentsRead += inner.segmentsRead
    nodesRead += inner.nodesRead
    boxesTested += inner.boxesTested
    exactTests += inner.exactTests
  }
}
