/// The rows that differ between a store and a table, by the side that has changed them since the last copy.
struct RowComparison: Sendable {
  /// A row that differs.
  struct Difference: Hashable, Sendable {
    /// Its key in the database, if the row is or was there.
    let remote: Int64?
    /// Its key in the store, if the row is there.
    let local: Int64?
    /// Whether the database has the row.
    let isRemote: Bool
    /// Whether both sides had the row after the last copy.
    let isKnown: Bool
  }

  /// The rows that only the store has changed.
  private(set) var local: [Difference] = []
  /// The rows that only the database has changed.
  private(set) var remote: [Difference] = []
  /// The rows that both have changed, or of which the side that changed them is not known.
  private(set) var both: [Difference] = []

  /// All rows that differ.
  var all: [Difference] { local + remote + both }

  /// Compares the rows of both sides with those of the last copy.
  ///
  /// - Parameters:
  ///   - base: The rows of the last copy.
  ///   - remoteRows: The rows of the database.
  ///   - localRows: The rows of the store, in order of their keys in the database.
  /// - Complexity: O(n).
  init(base: CopiedRows, remote remoteRows: RowHashes, local localRows: [LocalRow]) {
    var (b, r, l) = (0, 0, 0)
    while b < base.rows.count || r < remoteRows.count || l < localRows.count {
      let key = min(
        b < base.rows.count ? base.rows[b].remote : .max,
        r < remoteRows.count ? remoteRows.keys[r] : .max,
        l < localRows.count ? localRows[l].remote : .max)
      var known: CopiedRows.Row?
      var remoteHash: UInt64?
      var row: LocalRow?
      if b < base.rows.count, base.rows[b].remote == key {
        known = base.rows[b]
        b += 1
      }
      if r < remoteRows.count, remoteRows.keys[r] == key {
        remoteHash = remoteRows.hashes[r]
        r += 1
      }
      if l < localRows.count, localRows[l].remote == key {
        row = localRows[l]
        l += 1
      }
      guard remoteHash != row?.hash else { continue }
      let difference = Difference(
        remote: key > 0 ? key : nil, local: row?.local, isRemote: remoteHash != nil,
        isKnown: known != nil)
      switch (remoteHash == known?.remoteHash, row?.hash == known?.localHash) {
      // Each side has its form of the same row.
      case (true, true): continue
      case (true, false): local.append(difference)
      case (false, true): remote.append(difference)
      case (false, false): both.append(difference)
      }
    }
  }
}
