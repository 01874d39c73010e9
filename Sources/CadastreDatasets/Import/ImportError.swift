/// Why an import cannot be done.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sentence.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// A row that was refused.
package struct RejectedRow: Hashable, Sendable, Codable {
  /// The file.
  package let file: String
  /// The line on which the row begins, counted from 1; nil in files without lines.
  package let line: Int?
  /// The number of the record, counted from 1, in files without lines.
  package let record: Int?
  /// The column of that line, in characters counted from 1; nil where it is not known.
  package let column: Int?
  /// The field at fault; nil where it is none.
  package let field: String?
  /// Why, as a sentence.
  package let reason: String
}

/// What an import did.
package struct ImportReport: Sendable {
  /// Rows read.
  package var read = 0
  /// Objects added.
  package var inserted = 0
  /// Objects changed.
  package var updated = 0
  /// Rows left out on purpose: by predicate, box, offset or because their key was stored.
  package var skipped = 0
  /// Rows refused.
  package var rejects: [RejectedRow] = []
  /// Seconds from the first byte to the durable commit.
  package var seconds = 0.0
  /// The class, as it is stored.
  package var schemaText = ""
  /// What the files were found to hold, and why.
  package var fields: [DatasetField] = []

  /// Rows read a second.
  package var rowsPerSecond: Double { seconds > 0 ? Double(read) / seconds : 0 }
}
