/// The reason why an import is not possible.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The message.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// The result of an import.
package struct ImportReport: Sendable {
  /// The number of rows read.
  package var read = 0
  /// The number of objects inserted.
  package var inserted = 0
  /// The number of objects updated.
  package var updated = 0
  /// The number of objects that had the values of their rows already.
  package var unchanged = 0
  /// The number of rows excluded by predicate, box or offset, or because their key exists.
  package var skipped = 0
  /// The number of objects deleted because they have no row in the files.
  package var deleted = 0
  /// The changes of the stored class, one clause each.
  package var alterations: [String] = []
  /// What the user should know about names and locations, one clause each.
  package var notices: [String] = []
  /// The rejected rows.
  package var rejects: [RejectedRow] = []
  /// The seconds from the first byte to the durable commit.
  package var seconds = 0.0
  /// The stored class and its embedded classes, as text.
  package var schemaText = ""
  /// The inferred fields and the reasons for their types.
  package var fields: [DatasetField] = []

  /// The number of rows with an object in the store.
  var stored: Int { inserted + updated + unchanged }

  /// The number of rows read per second.
  package var rowsPerSecond: Double { seconds > 0 ? Double(read) / seconds : 0 }
}
