import CadastreModel
public import CadastrePredicate

extension RealmCollection {
  /// The objects that a whole question finds: a predicate, and SORT, DISTINCT and LIMIT after it.
  ///
  ///     try airports.query(parsing: "elevation > %@ SORT(elevation DESC) LIMIT(10)", arguments: [300])
  ///
  /// The steps are taken in the order in which they are written; of sorts side by side the last
  /// decides first. Text from outside may be given: nothing of it stops the process.
  ///
  /// - Parameters:
  ///   - text: The question, in the predicate language.
  ///   - arguments: The values of its placeholders `%@` or `$0`, in order.
  /// - Returns: What is found, as live as any other results.
  /// - Throws: ``QueryPredicateError`` that says where, what was found and what was expected.
  public func query(
    parsing text: String, arguments: [Any?] = []
  ) throws(QueryPredicateError) -> Results<Element> {
    let question = try QueryText(
      parsing: text, arguments: PredicateArgument.arguments(arguments))
    do throws(QueryPredicateError) {
      return Results(try queryResult.narrowed(question))
    } catch {
      throw error.found(in: text)
    }
  }
}
