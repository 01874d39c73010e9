import CadastreModel
public import CadastrePredicate

extension RealmCollection {
  /// Returns the objects of a query text: a predicate followed by SORT, DISTINCT and LIMIT.
  ///
  ///     try airports.query(parsing: "elevation > %@ SORT(elevation DESC) LIMIT(10)", arguments: [300])
  ///
  /// The steps are applied in the order in which they are written; of adjacent sorts the last one
  /// is the first criterion. The text may come from outside the program: it cannot stop the
  /// process.
  ///
  /// - Parameters:
  ///   - text: The query, in the predicate language.
  ///   - arguments: The values of its placeholders `%@` or `$0`, in order.
  /// - Returns: The results, live.
  /// - Throws: `QueryPredicateError` that says where, what was found and what was expected.
  public func query(
    parsing text: String, arguments: [Any?] = []
  ) throws(QueryPredicateError) -> Results<Element> {
    let queryText = try QueryText(
      parsing: text, arguments: PredicateArgument.arguments(arguments))
    do throws(QueryPredicateError) {
      return Results(try queryResult.narrowed(queryText))
    } catch {
      throw error.found(in: text)
    }
  }
}
