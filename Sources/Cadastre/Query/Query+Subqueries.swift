import CadastreModel
import CadastrePredicate

extension Query where Value == Bool {
  /// The number of objects in a collection that match the condition.
  ///
  ///     people.where { ($0.dogs.age > 10 && $0.dogs.name.starts(with: "F")).count >= 2 }
  ///
  /// All properties in the condition must be those of the objects in one collection. A condition
  /// within it may count the objects of a collection of these objects in turn.
  public var count: Query<Int> {
    switch condition.inside {
    case .objects(let collection, let predicate, _):
      return Query<Int>(
        .result(
          QuerySide(
            operand: .subquery(Subquery(collection, predicate)), isToMany: false,
            inside: condition.inside.count)))
    case .outside:
      ProgrammingError.stop("Subqueries must contain a keypath starting with a collection.")
    case .refused(let why): ProgrammingError.stop(why)
    }
  }
}
