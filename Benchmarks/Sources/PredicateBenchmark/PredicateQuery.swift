/// A predicate on the fleet and the equivalent SQL.
struct PredicateQuery {
  var name: String
  var text: String
  var sql: String

  /// The measured predicates, from one comparison to ten thousand.
  static let all = [
    PredicateQuery(
      name: "one comparison", text: "crew > 3", sql: "SELECT id FROM boat WHERE crew > 3"),
    PredicateQuery(
      name: "five terms with a circle",
      text: """
        name BEGINSWITH 'Al' AND crew BETWEEN {2, 9} AND active == true AND fee < 100 AND \
        berth.site GEOWITHIN geoCircle([10.2, 56.15], 0.01)
        """,
      sql: """
        SELECT boat.id FROM boat JOIN harbor ON harbor.key = boat.berth \
        WHERE boat.name >= 'Al' AND boat.name < 'Am' AND crew BETWEEN 2 AND 9 AND active = 1 \
        AND fee < 100 AND acos(sin(radians(56.15)) * sin(radians(lat)) + cos(radians(56.15)) \
        * cos(radians(lat)) * cos(radians(lon - 10.2))) <= 0.01
        """),
    PredicateQuery(
      name: "collections and a subquery",
      text: """
        ANY trips.miles > 10 AND marks.@sum > 3 AND specs['hp'] > 50 AND \
        SUBQUERY(trips, $t, $t.miles > 3 AND $t.to.name == 'Bergen').@count > 1
        """,
      sql: """
        SELECT id FROM boat WHERE EXISTS (SELECT 1 FROM trips JOIN trip ON trip.key = trips.value \
        WHERE trips.owner = boat.id AND miles > 10) AND (SELECT sum(value) FROM marks WHERE \
        owner = boat.id) > 3 AND (SELECT value FROM specs WHERE owner = boat.id AND key = 'hp') > 50 \
        AND (SELECT count(*) FROM trips JOIN trip ON trip.key = trips.value JOIN harbor ON \
        harbor.key = trip."to" WHERE trips.owner = boat.id AND miles > 3 AND \
        harbor.name = 'Bergen') > 1
        """),
    PredicateQuery(
      name: "IN with 1,000 constants", text: "id IN {\(numbers(1000, separator: ", "))}",
      sql: "SELECT id FROM boat WHERE id IN (\(numbers(1000, separator: ", ")))"),
    // SQLite rejects expressions deeper than 1,000 levels, so the SQL has balanced parentheses.
    PredicateQuery(
      name: "OR with 10,000 terms",
      text: (0..<10_000).map { "crew == \($0 * 7)" }.joined(separator: " OR "),
      sql: "SELECT id FROM boat WHERE \(balanced(0..<10_000))"),
  ]

  private static func numbers(_ count: Int, separator: String) -> String {
    (0..<count).map { "\($0 * 7)" }.joined(separator: separator)
  }

  private static func balanced(_ range: Range<Int>) -> String {
    guard range.count > 1 else { return "crew = \(range.lowerBound * 7)" }
    let middle = (range.lowerBound + range.upperBound) / 2
    return "(\(balanced(range.lowerBound..<middle)) OR \(balanced(middle..<range.upperBound)))"
  }
}
