/// The error for a part of a query that has no SQL with exactly the same meaning.
public struct UntranslatablePart: Error, Hashable, Sendable, CustomStringConvertible {
  /// The part, as the predicate language writes it.
  public let part: String
  /// The reason.
  public let reason: String

  /// One line: the part and the reason.
  public var description: String {
    "'\(part)' cannot be run on PostgreSQL with the same meaning: \(reason)"
  }
}
