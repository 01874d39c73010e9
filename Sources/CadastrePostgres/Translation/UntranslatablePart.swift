/// The error for a part of a query that has no SQL with exactly the same meaning.
public struct UntranslatablePart: Error, Hashable, Sendable, CustomStringConvertible {
  /// The part, as the predicate language writes it.
  public let part: String
  /// The reason.
  public let reason: String
  /// The database engine that would run the SQL.
  public let engine: String

  init(part: String, reason: String, engine: String = "PostgreSQL") {
    (self.part, self.reason, self.engine) = (part, reason, engine)
  }

  /// One line: the part and the reason.
  public var description: String {
    "'\(part)' cannot be run on \(engine) with the same meaning: \(reason)"
  }
}
