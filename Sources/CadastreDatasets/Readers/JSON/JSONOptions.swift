/// How far a reader of JSON goes.
package struct JSONOptions: Hashable, Sendable {
  /// How many bytes are asked of the system at a time; see ``CSVOptions/chunkBytes``.
  package var chunkBytes = 512 * 1024
  /// The longest record, in bytes; at most 4 GiB, as nodes count in 32 bits.
  package var recordLimitBytes = 64 * 1024 * 1024
  /// How many arrays and objects may stand inside each other.
  ///
  /// GeoJSON without foreign members needs eight.
  package var depthLimit = 128
  /// How many bytes are looked at to tell a document from a sequence.
  package var sniffBytes = 64 * 1024

  /// The limits that suit files from anywhere.
  package init() {}

  /// The most nodes in one record: one for four bytes of the longest, as memory has a limit too.
  ///
  /// A position of two coordinates makes three nodes and takes fourteen bytes or more in
  /// practice.
  var nodeLimit: Int { max(recordLimitBytes / 4, 64) }
}
