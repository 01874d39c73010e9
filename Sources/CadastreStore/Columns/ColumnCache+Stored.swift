import CadastreModel

/// The relation of the cache to the segments in the file.
extension ColumnCache {
  /// Receives the name of a class, the number of a segment and the columns that a reader has decoded from its rows.
  typealias DecodeHandler = @Sendable (String, Int64, [Int]) -> Void

  /// Sets the closure that receives a sentence about each damaged segment in the file; any thread calls it.
  package func setDamageHandler(_ handler: @escaping @Sendable (String) -> Void) {
    damageHandler.withLock { $0 = handler }
  }

  /// Reports a damaged segment in the file, or a failure to store segments.
  func reportDamage(_ sentence: String) { damageHandler.withLock { $0 }?(sentence) }

  /// Sets the closure that receives what readers decode from rows; any thread calls it.
  func setDecodeHandler(_ handler: @escaping DecodeHandler) {
    decodeHandler.withLock { $0 = handler }
  }

  /// Notes that a reader has decoded columns of a segment from rows.
  func noteDecoded(_ className: String, _ segment: Int64, _ columns: [Int]) {
    decodeHandler.withLock { $0 }?(className, segment, columns)
  }

  /// Counts segments that were read from stored ones.
  func noteStored(_ count: Int) { state.withLock { $0.report.stored += count } }
}
