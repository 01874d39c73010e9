import Cadastre
import Foundation
import Testing
import TestingSupport

/// Conditions that make no sense stop the process, with a sentence that says what to do instead.
@Suite struct ConditionErrorTests {
  @Test func `two collections`() async {
    let sentence = "Comparing two collection columns is not permitted."
    let lists = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try everyRealm().objects(Every.self).where { $0.ints == $0.ints }
    }
    expectStop(lists, says: sentence)
    let members = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try everyRealm().objects(Every.self).where { $0.links.rank > $0.linkSet.rank }
    }
    expectStop(members, says: sentence)
    let keys = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try everyRealm().objects(Every.self).where { $0.intMap.keys == $0.stringMap.keys }
    }
    expectStop(keys, says: sentence)
  }

  @Test func `aggregates of what is no collection`() async {
    let minimum = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try everyRealm().objects(Every.self).where { $0.id.min == 1 }
    }
    expectStop(
      minimum,
      says:
        "Invalid keypath 'id.@min': Property 'Every.id' is not a link or collection and can only "
        + "appear at the end of a keypath.")
    let average = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try everyRealm().objects(Every.self).where { $0.link.rank.avg > 1 }
    }
    expectStop(average, says: "Property 'Other.rank' is not a link or collection")
    let nested = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try everyRealm().objects(Every.self).where { $0.links.friends.rank.sum > 1 }
    }
    expectStop(nested, says: "'links.@sum' needs a single number")
  }

  @Test func `a property after the subscript of a map`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try everyRealm().objects(Every.self).where { $0.linkMap["k"].rank == 1 }
    }
    expectStop(result, says: "Cannot apply key path to Map subscripts.")
  }

  @Test func `subqueries without a collection of their own`() async {
    let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try everyRealm().objects(Every.self).where { ($0.id == 1).count > 0 }
    }
    expectStop(none, says: "Subqueries must contain a keypath starting with a collection.")
    let two = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try everyRealm().objects(Every.self).where {
        ($0.links.rank == 1 && $0.linkSet.rank == 2).count > 0
      }
    }
    expectStop(two, says: "look at the objects of one collection, found 'links' and 'linkSet'")
    let several = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try everyRealm().objects(Every.self).where {
        ($0.links.rank == 1 && $0.ints == 2).count > 0
      }
    }
    expectStop(several, says: "'ints' leads to none")
  }

  @Test func `subqueries of what is no property of objects`() async {
    let values = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try everyRealm().objects(Every.self).where { ($0.ints > 1).count > 0 }
    }
    expectStop(
      values, says: "compare properties of the objects in a collection: 'ints' leads to none")
    let subscripts = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try everyRealm().objects(Every.self).where { ($0.intMap["k"] == 1).count > 0 }
    }
    expectStop(
      subscripts, says: "Subqueries cannot look at elements by subscript, as in 'intMap['k']'")
    let wildcards = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try everyRealm().objects(Every.self).where { ($0.any.any == .int(1)).count > 0 }
    }
    expectStop(wildcards, says: "Subqueries cannot look at elements by subscript")
    let aggregates = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try everyRealm().objects(Every.self).where { ($0.links.rank.max > 1).count > 0 }
    }
    expectStop(aggregates, says: "'links.rank.@max' is computed from all of them")
    let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try everyRealm().objects(Every.self).where { (($0.links.rank > 1).count > 1).count > 0 }
    }
    expectStop(twice, says: "Subqueries must contain a keypath starting with a collection.")
  }

  @Test func `members of elements by subscript behind a collection`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try everyRealm().objects(Every.self).where { $0.knots.more[0] == Knot("a") }
    }
    expectStop(
      result, says: "Subqueries cannot look at elements by subscript, as in 'knots.more[0]'")
  }

  @Test func `what is no property`() async {
    let objects = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      _ = realm.objects(Other.self).where { $0 == Other("ann") }
    }
    expectStop(objects, says: "A query compares properties of objects")
    let conditions = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try everyRealm().objects(Every.self).where { ($0.id == 1) == true }
    }
    expectStop(
      conditions, says: "A query compares properties of objects, not objects or conditions")
    let values = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try everyRealm()
      let every = Every()
      try realm.write { realm.add(every) }
      _ = every.ints.where { $0 > 1 }
    }
    expectStop(values, says: "Querying is currently only implemented for arrays of Realm Objects")
  }

  @Test func `invalid regions, and properties that are not points`() async {
    let regions = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let bow = try #require(
        GeoPolygon(outerRing: [(0, 0), (10, 10), (10, 0), (0, 10), (0, 0)]))
      _ = try Route.makeRealm().objects(Route.self).where { $0.stops.geoWithin(bow) }
    }
    expectStop(regions, says: "Invalid region")
    let places = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let circle = try #require(GeoCircle(center: (1, 1), radiusInRadians: 1))
      _ = try everyRealm().objects(Every.self).where { $0.knots.geoWithin(circle) }
    }
    expectStop(places, says: "wrong format for a geoWithin query")
  }

  @Test func `a property is not a whole condition`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Query<Every>._constructForTesting().id._constructPredicate()
    }
    expectStop(result, says: "Only a whole condition is a predicate")
  }
}
