/// The counts and times of one run of a plan.
package struct RunStatistics: Hashable, Sendable {
  /// The number of rows that the access path yielded.
  package var accessRows = 0
  /// The number of rows that each part of an intersection, union or complement yielded, in the
  /// order in which the parts are printed.
  package var partRows: [Int] = []
  /// The number of rows that passed the filters.
  package var matchedRows = 0
  /// The number of rows of the result.
  package var answerRows = 0
  /// The number of rows read from the table.
  package var rowsRead = 0
  /// The number of column segments that were in memory.
  package var segmentsInMemory = 0
  /// The number of column segments read from the file, which are cached from then on.
  package var segmentsRead = 0
  /// The number of threads that filtered the rows.
  package var threads = 1
  /// The number of spatial index nodes read.
  package var nodesRead = 0
  /// The number of bounding boxes compared with a region or a point.
  package var boxesTested = 0
  /// The number of points refined by their exact coordinates.
  package var exactTests = 0
  /// The time from the first step to the result, in seconds.
  package var seconds = 0.0
  /// The part of it spent in the access path, in seconds.
  package var accessSeconds = 0.0

  /// Statistics of a run that has not begun.
  package init() {}

  /// Adds the counts of a nested run.
  package mutating func add(_ inner: RunStatistics) {
    rowsRead += inner.rowsRead
    threads = max(threads, inner.threads)
    segmentsInMemory += inner.segmentsInMemory
    segmentsRead += inner.segmentsRead
    nodesRead += inner.nodesRead
    boxesTested += inner.boxesTested
    exactTests += inner.exactTests
  }
}
