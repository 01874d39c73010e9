import CadastrePredicate

/// The syntax of sort orders on the command line: "FIELD [asc|desc], …".
enum SortText {
  /// Parses a sort order.
  ///
  /// - Parameter text: The sort order.
  /// - Returns: The names and directions in their order.
  /// - Throws: ``QueryPredicateError`` for invalid syntax.
  static func parts(
    _ text: String
  ) throws(QueryPredicateError) -> [(name: String, isAscending: Bool)] {
    var parts: [(name: String, isAscending: Bool)] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: " ").map(String.init)
      let direction = words.count > 1 ? words[1].lowercased() : "asc"
      guard (1...2).contains(words.count), ["asc", "desc"].contains(direction) else {
        throw QueryPredicateError(
          .sort, "expected 'FIELD', 'FIELD asc' or 'FIELD desc', found '\(part)'")
      }
      parts.append((words[0], direction == "asc"))
    }
    return parts
  }
}
