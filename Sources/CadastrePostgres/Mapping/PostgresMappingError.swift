import CadastreFormatting

/// The error for a class or a value that has no exact form in PostgreSQL, for a table of a database that
/// is not one of a push or must not be used, and for changes that a copy would lose.
public struct PostgresMappingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The class, property or row that has no form.
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
