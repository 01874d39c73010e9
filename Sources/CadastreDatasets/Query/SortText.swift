import CadastreModel
package import CadastrePredicate

/// The syntax of sort orders on the command line: "FIELD [asc|desc], …".
package enum SortText {
  /// Returns the sort keys of a sort order.
  ///
  /// - Throws: ``QueryPredicateError`` for invalid syntax.
  package static func keys(_ text: String) throws(QueryPredicateError) -> [SortKey] {
    try parts(text).map { SortKey(PropertyPath($0.name), isAscending: $0.isAscending) }
  }

  /// Parses a sort order.
  ///
  /// - Parameter text: The sort order.
  /// - Returns: The names and directions in their order.
  /// - Throws: ``QueryPredicateError`` for invalid syntax.
  static func parts(
    _ text: String
  ) throws(QueryPredicateError) -> [(name: String, isAscending: Bool)] {
    var parts: [(name: String, isAscending: Bool)] = []
    for part in ListText.parts(text) {
      var words = part.split(separator: " ").map(String.init)
      let direction = words.count > 1 ? words[words.count - 1].lowercased() : ""
      if ["asc", "desc"].contains(direction) { words.removeLast() }
      let name = words.joined(separator: " ")
      guard words.count == 1 || words.count > 1 && name.hasSuffix(")") else {
        throw QueryPredicateError(
          .sort, "expected 'FIELD', 'FIELD asc' or 'FIELD desc', found '\(part)'")
      }
      parts.append((name, direction != "desc"))
    }
    return parts
  }
}
