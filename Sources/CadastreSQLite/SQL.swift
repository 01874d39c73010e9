/// Parts of SQL text.
package enum SQL {
  /// Returns a name as a quoted identifier.
  package static func quoted(_ name: String) -> String {
    // Few names contain quotes, and every commit quotes the names of the columns that it writes.
    name.utf8.contains(UInt8(ascii: "\""))
      ? "\"" + name.replacing("\"", with: "\"\"") + "\"" : "\"" + name + "\""
  }

  /// Returns an expression for the value of a counter's column; -1 for another type in a damaged file.
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

  /// Creates a text object, which the caller keeps for further runs.
  package init(_ text: String) { self.text = text }
}

/// The error of an SQL query that a program runs on a store.
///
///     do {
///       _ = try realm.sql("DELETE FROM Airport")
///     } catch let error as SQLError {
///       print(error)  // found the action DELETE on 'Airport', expected a query that only reads: …
///     }
public struct SQLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of errors.
  public enum Reason: Hashable, Sendable {
    /// The text has a syntax error, or names a table or column that does not exist.
    case invalidText
    /// The text is a statement other than one that reads rows.
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
  /// The content of the text that caused the error.
  public let found: String
  /// The expected content.
  public let expected: String

  init(_ reason: Reason, in sql: String, found: String, expected: String) {
    self.reason = reason
    self.sql = sql
    self.found = found
    self.expected = expected
  }

  /// The content that was found, the expected one, and the text.
  public var description: String { "found \(found), expected \(expected): \(sql)" }
}
