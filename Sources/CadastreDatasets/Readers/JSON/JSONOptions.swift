/// The limits of a JSON reader.
package struct JSONOptions: Hashable, Sendable {
  /// The number of bytes per read from the system; see ``CSVOptions/chunkBytes``.
  package var chunkBytes = 512 * 1024
  /// The maximum size of a record, in bytes; at most 4 GiB, because offsets in nodes have 32 bits.
  package var recordLimitBytes = 64 * 1024 * 1024
  /// The maximum nesting of arrays and objects.
  ///
  /// GeoJSON without foreign members needs eight levels.
  package var depthLimit = 128
  /// The number of bytes that are read to detect the framing.
  package var sniffBytes = 64 * 1024
  /// The names of the members of a document that lead to its records; empty for the document itself,
  /// nil to detect them.
  package var recordsPath: [String]?

  /// Creates limits for untrusted files.
  package init() {}

  /// The maximum number of nodes in a record, which bounds memory: one per four bytes.
  ///
  /// In practice a position of two coordinates has three nodes and at least fourteen bytes.
  var nodeLimit: Int { max(recordLimitBytes / 4, 64) }
}
