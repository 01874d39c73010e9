import Cadastre
import Foundation

extension StopCase {
  static let conditions = [
    StopCase("A key path from '…' names nothing of '…'.") {
      _ = Every.propertyName(of: \Other.name)
    },
    StopCase("Only a whole condition is a predicate: compare the property with something.") {
      _ = Query<Every>._constructForTesting().id._constructPredicate()
    },
    StopCase(
      "A key path used in a query of '…' does not lead to a persisted property: use one that is "
        + "marked @Persisted."
    ) {
      _ = try makeRealm().objects(Airport.self).sorted(by: \.title)
    },
    StopCase("Subqueries must contain a keypath starting with a collection.") {
      _ = try everyRealm().objects(Every.self).where { ($0.id == 1).count > 0 }
    },
    StopCase("Only properties lead on: a condition, a count or an aggregate has none.") {
      _ = try everyRealm().objects(Every.self).where { $0.ints.count.min == 1 }
    },
    StopCase("A query compares properties of objects, not objects or conditions themselves.") {
      _ = try everyRealm().objects(Every.self).where { ($0.id == 1) == true }
    },
    StopCase("Comparing two collection columns is not permitted.") {
      _ = try everyRealm().objects(Every.self).where { $0.ints == $0.ints }
    },
    StopCase("A query cannot compare linking objects as a whole: compare their elements.") {
      _ = try everyRealm().objects(Other.self).where { $0.byLink == Other("a").byLink }
    },
    StopCase("A query cannot compare '…' by size.") {
      _ = try everyRealm().objects(Every.self).where { $0.any > AnyRealmValue.fromArray([]) }
    },
    StopCase("Cannot apply key path to Map subscripts.") {
      _ = try everyRealm().objects(Every.self).where { $0.linkMap["k"].rank == 1 }
    },
    StopCase(
      "Invalid keypath '….…': Property '….…' is not a link or collection and can only appear at "
        + "the end of a keypath."
    ) {
      _ = try everyRealm().objects(Every.self).where { $0.id.min == 1 }
    },
  ]
}
