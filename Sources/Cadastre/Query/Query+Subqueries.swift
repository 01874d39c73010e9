import CadastreModel
import CadastrePredicate

extension Query where Value == Bool {
  /// The number of objects in a collection that match the condition.
  ///
  ///     people.where { ($0.dogs.age > 10 && $0.dogs.name.starts(with: "F")).count >= 2 }
  ///
  /// All properties in the condition must be those of the objects in one collection.
  public var count: Query<Int> {
    switch condition.inside {
    case .objects(let collection, let predicate):
      return Query<Int>(
        .result(
          QuerySide(
            operand: .subquery(Subquery(collection, predicate)), isToMany: false,
            inside: .refused("Subqueries look at the objects of one collection: this counts one."))
        ))
    case .outside:
      ProgrammingError.stop("Subqueries must contain a keypath starting with a collection.")
    case .refused(let why): ProgrammingError.stop(why)
    }
  }
}
