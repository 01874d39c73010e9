/// An error of a PostgreSQL server or of the connection to it.
///
/// Messages contain no password and no value of a parameter.
public struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Kind: Hashable, Sendable {
    /// The address is no URL or connection string that libpq can read.
    case invalidAddress
    /// No connection could be opened, or it was lost.
    case connection
    /// The server refused or failed a statement.
    case statement
    /// The statement took longer than the statement timeout, or the server was silent for longer than
    /// the reply timeout.
    case timeout
    /// The task was cancelled, and the server stopped the statement or did not answer any more.
    case cancelled
    /// The server sent a value of another type or form than was expected.
    case unexpectedValue
  }

  /// The kind of the error.
  public let kind: Kind
  /// The five characters of the server's error code; nil if the server sent none.
  public let sqlState: String?
  /// The operation that failed.
  public let operation: String
  /// The message of the server or of libpq, on one line without control characters.
  public let message: String

  init(_ kind: Kind, sqlState: String? = nil, _ operation: String, _ message: String) {
    self.kind = kind
    self.sqlState = sqlState
    self.operation = operation
    self.message = message
  }

  /// One line: the operation, the message and the server's error code.
  public var description: String {
    let state = sqlState.map { " (SQLSTATE \($0))" } ?? ""
    return "PostgreSQL, \(operation): \(message)\(state)"
  }
}
