import Foundation

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

  /// Returns whether the first bytes of a file are those of rejected rows.
  package static func isFile(_ first: [UInt8]) -> Bool {
    let line = first.prefix { $0 != UInt8(ascii: "\n") }
    return (try? JSONDecoder().decode(RejectedRow.self, from: Data(line))) != nil
  }
}
