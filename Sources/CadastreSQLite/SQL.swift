/// Parts of SQL text.
package enum SQL {
  /// Returns a name as a quoted identifier.
  package static func quoted(_ name: String) -> String {
    // Few names contain quotes, and every commit quotes the names of the columns that it writes.
    name.utf8.contains(UInt8(ascii: "\""))
      ? "\"" + name.replacing("\"", with: "\"\"") + "\"" : "\"" + name + "\""
  }

  /// Returns the value of a counter's column; -1 where a damaged file has no integer in it.
  package static func counter(_ column: String) -> String {
    "iif(typeof(\(column)) = 'integer', \(column), -1)"
  }
}

/// The text of a statement that is run often.
///
/// A connection finds the statement by the identity of this object, without hashing the text. Objects with
/// the same text share a statement.
package final class SQLText: Sendable {
  /// The SQL text, with placeholders.
  package let text: String

  /// Keeps a text.
  package init(_ text: String) { self.text = text }
}

/// The error of an SQL text of the program, which reads a store.
///
///     do {
///       _ = try realm.sql("DELETE FROM Airport")
///     } catch let error as SQLError {
///       print(error)  // found the action DELETE on 'Airport', expected a query that only reads: …
///     }
public struct SQLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of errors.
  public enum Reason: Hashable, Sendable {
    /// SQLite does not understand the text, or a table or column does not exist.
    case invalidText
    /// The text does more than read rows.
    case notAQuery
    /// The text contains more than one statement.
    case severalStatements
    /// The number of arguments differs from the number of placeholders.
    case wrongNumberOfArguments
  }

  /// The kind of error.
  public let reason: Reason
  /// The text, which contains placeholders and no arguments.
  public let sql: String
  /// What the text contains.
  public let found: String
  /// What is expected instead.
  public let expected: String

  init(_ reason: Reason, in sql: String, found: String, expected: String) {
    self.reason = reason
    self.sql = sql
    self.found = found
    self.expected = expected
  }

  /// What was found, what was expected, and the text.
  public var description: String { "found \(found), expected \(expected): \(sql)" }
}
