import CadastreModel
public import CadastrePredicate
import CadastreQuery

/// A predicate text that is parsed once and evaluated with different arguments.
///
///     let larger = try realm.prepare("crew > $0 AND berth.code == $1", on: Boat.self)
///     print(try larger(3, "AAR").count)
///     print(try larger(12, "CPH").count)
///
/// Arguments may come from outside the program: an argument that does not fit throws an error. A prepared
/// query is confined like its Realm.
public struct PreparedQuery<Element: RealmFetchable> {
  private let results: Results<Element>
  private let predicate: PreparedPredicate

  init(_ results: Results<Element>, _ predicate: PreparedPredicate) {
    self.results = results
    self.predicate = predicate
  }

  /// The text.
  public var text: String { predicate.text }

  /// The number of arguments of each run.
  public var parameterCount: Int { predicate.parameterCount }

  /// Returns the objects that match the predicate with arguments.
  ///
  /// - Parameter arguments: A value for each parameter; `$0` is the first, or the first `%@`.
  /// - Returns: The matching objects, live.
  /// - Throws: `QueryPredicateError` for a wrong number of arguments, or an argument that does not fit its
  ///   property.
  public func callAsFunction(
    _ arguments: Any?...
  ) throws(QueryPredicateError) -> Results<Element> {
    try objects(arguments: arguments)
  }

  /// Returns the objects that match the predicate with arguments.
  ///
  /// - Parameter arguments: A value for each parameter; `$0` is the first, or the first `%@`.
  /// - Returns: The matching objects, live.
  /// - Throws: `QueryPredicateError` for a wrong number of arguments, or an argument that does not fit its
  ///   property.
  public func objects(arguments: [Any?]) throws(QueryPredicateError) -> Results<Element> {
    Results(
      try results.queryResult.narrowed(predicate, PredicateArgument.arguments(arguments)))
  }
}

extension Realm {
  /// Prepares a predicate text for evaluation with different arguments.
  ///
  ///     let near = try realm.prepare("population > $0 AND location GEOWITHIN $1", on: Place.self)
  ///     for circle in circles { print(try near(1_000, circle).count) }
  ///
  /// A parameter `$0` or `%@` is the whole right side of a comparison or of a relation such as `GEOINTERSECTS`
  /// outside of `SUBQUERY`, or the second geometry or the limit of a distance: `GEODISTANCE(location, $0) < $1 km`.
  ///
  /// - Parameters:
  ///   - text: The predicate, in the predicate language.
  ///   - type: The class of the root objects.
  /// - Returns: The prepared query.
  /// - Throws: `QueryPredicateError` for a syntax error or an unknown property.
  public func prepare<Element: RealmFetchable>(
    _ text: String, on type: Element.Type
  ) throws(QueryPredicateError) -> PreparedQuery<Element> {
    let prepared = try PreparedPredicate(parsing: text)
    let results = objects(type)
    try prepared.checkNames(in: core.schema, of: results.queryResult.query.className)
    return PreparedQuery(results, prepared)
  }
}
