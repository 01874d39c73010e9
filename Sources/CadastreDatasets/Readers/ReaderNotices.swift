/// What the user should know about a file that is read, one clause for each kind.
final class ReaderNotices {
  private(set) var clauses: Set<String> = []

  /// Adds a clause, once.
  func add(_ clause: String) { clauses.insert(clause) }
}
