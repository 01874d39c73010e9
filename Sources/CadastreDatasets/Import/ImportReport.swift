import Foundation

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
  /// The number of stored objects that equal their rows.
  package var unchanged = 0
  /// The number of rows excluded by predicate, box or offset, or because their key exists.
  package var skipped = 0
  /// The number of objects deleted because they have no row in the files.
  package var deleted = 0
  /// The changes of the stored class, one clause each.
  package var alterations: [String] = []
  /// Remarks for the user about names and locations, one clause each.
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

/// A rejected row.
package struct RejectedRow: Hashable, Sendable, Codable {
  /// The file.
  package let file: String
  /// The first line of the row, from 1; nil in files without lines.
  package let line: Int?
  /// The number of the record, from 1, in files without lines.
  package let record: Int?
  /// The column in that line, in characters from 1; nil if it is unknown.
  package let column: Int?
  /// The invalid field; nil if the error concerns the record.
  package let field: String?
  /// What was found and what was expected.
  package let reason: String
}

extension RejectedRow {
  /// Returns rows as JSON objects, one per line.
  package static func lines(_ rows: [RejectedRow]) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try rows.flatMap { try encoder.encode($0) + [UInt8(ascii: "\n")] }
  }

  /// Returns whether the first bytes of a file identify a file of rejected rows.
  package static func isFile(_ first: [UInt8]) -> Bool {
    let line = first.prefix { $0 != UInt8(ascii: "\n") }
    return (try? JSONDecoder().decode(RejectedRow.self, from: Data(line))) != nil
  }
}
