package import CadastreModel

/// A predicate that is parsed before its arguments are known.
package struct PreparedPredicate: Sendable {
  /// The text.
  package let text: String
  /// The number of arguments.
  package let parameterCount: Int
  /// The predicate with null for each argument.
  private let predicate: QueryPredicate

  /// Parses a text whose placeholders `%@` or `$0` are parameters.
  ///
  /// - Throws: ``QueryPredicateError`` where the text is no predicate, or a parameter is used in
  ///   another way than as the right side of a comparison or of a relation, or in a distance.
  package init(parsing text: String) throws(QueryPredicateError) {
    do throws(QueryPredicateError) {
      var parser = try Parser(text, arguments: nil)
      predicate = try parser.wholePredicate()
      parameterCount = (parser.slots.map(\.argument).max() ?? -1) + 1
    } catch {
      throw error.found(in: text)
    }
    self.text = text
  }

  /// Checks the paths of the predicate that begin at the object.
  ///
  /// - Throws: ``QueryPredicateError`` at the first name that a class does not have.
  package func checkNames(in schema: Schema, of className: String) throws(QueryPredicateError) {
    let root = try schema.queriedClass(className)
    do throws(QueryPredicateError) {
      for path in predicate.paths {
        _ = try schema.resolvedPaths.path(path, from: root, in: schema)
      }
    } catch {
      throw error.found(in: text)
    }
  }

  /// The predicate with arguments, bound to a schema.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - className: The queried class.
  ///   - predicates: The predicates that queries of the schema bound last.
  ///   - bind: Binds a predicate that was not bound before, or whose arguments need a check.
  /// - Returns: The bound predicate.
  /// - Throws: ``QueryPredicateError`` where the arguments are not as many as the parameters, or one
  ///   of them does not fit.
  package func bound(
    _ arguments: [PredicateArgument], to className: String, in predicates: BoundPredicates,
    _ bind: (QueryPredicate) throws(QueryPredicateError) -> BoundPredicate
  ) throws(QueryPredicateError) -> BoundPredicate {
    guard arguments.count == parameterCount else {
      throw QueryPredicateError(
        .invalidArgument,
        "the prepared query takes \(parameterCount) argument\(parameterCount == 1 ? "" : "s"), "
          + "found \(arguments.count)", text: text)
    }
    do throws(QueryPredicateError) {
      return try predicates.bound(
        parsing: text, arguments: arguments, to: className, bind)
    } catch {
      throw error.found(in: text)
    }
  }
}
