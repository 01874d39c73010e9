import CPostgreSQL
import CadastreFormatting

/// An error of a PostgreSQL server or of the connection to it.
///
/// Messages contain no password and no value of a parameter.
public struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Kind: Hashable, Sendable {
    /// The address is not a URL or connection string that libpq can read.
    case invalidAddress
    /// No connection could be opened, or it was lost.
    case connection
    /// The server refused or failed a statement.
    case statement
    /// The statement exceeded the statement timeout, or the time without traffic exceeded the reply timeout.
    case timeout
    /// The task was cancelled, and the server stopped the statement or stopped to respond.
    case cancelled
    /// The server sent a value with an unexpected type or form.
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

extension PostgresError {
  /// Creates the error of a result of libpq, or of the connection if the server sent no error code.
  ///
  /// - Parameters:
  ///   - result: The result; nil if libpq ran out of memory or lost the connection.
  ///   - handle: The connection.
  ///   - operation: The operation that failed.
  ///   - wasCancelled: Whether this process sent a cancel request; the server reports cancellation and timeout
  ///     with the same code.
  init(
    _ result: OpaquePointer?, _ handle: OpaquePointer, _ operation: String, wasCancelled: Bool
  ) {
    guard let result, let state = Self.field(cadastre_pg_diag_sqlstate, result) else {
      let message = Self.oneLine(String(cString: PQerrorMessage(handle)))
      self.init(.connection, operation, message)
      return
    }
    let kind: Kind =
      switch state {
      case "57014": wasCancelled ? .cancelled : .timeout
      case "57P01", "57P02", "57P03": .connection
      default: state.hasPrefix("08") ? .connection : .statement
      }
    self.init(kind, sqlState: state, operation, Self.message(result))
  }

  /// Returns the severity and the message of a notice.
  static func text(ofNotice notice: OpaquePointer) -> String {
    let severity = field(cadastre_pg_diag_severity, notice) ?? "NOTICE"
    return oneLine(severity) + ": " + message(notice)
  }

  private static func field(_ code: Int32, _ result: OpaquePointer) -> String? {
    PQresultErrorField(result, code).map { String(cString: $0) }
  }

  /// Returns the message of an error or a notice, with details.
  private static func message(_ result: OpaquePointer) -> String {
    let parts = [cadastre_pg_diag_message_primary, cadastre_pg_diag_message_detail]
    return oneLine(parts.compactMap { field($0, result) }.joined(separator: "; "))
  }

  /// Returns a message on one line without control characters.
  static func oneLine(_ message: String) -> String {
    printable(message.split(whereSeparator: \.isWhitespace).joined(separator: " "))
  }
}

/// The error for a class or a value without an exact form in PostgreSQL, for a table that no push has created or
/// that is unsafe to use, and for changes that a copy would lose.
public struct PostgresMappingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The class, property, row or table that the error is about.
  public let subject: String
  /// The reason.
  public let reason: String

  package init(subject: String, reason: String) {
    self.subject = subject
    self.reason = reason
  }

  /// One line without control characters: the subject and the reason.
  public var description: String { printable("\(subject): \(reason)") }
}
