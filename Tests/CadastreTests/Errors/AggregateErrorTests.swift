import Testing

@testable import Cadastre

/// Aggregates of stored values that their result cannot hold: a file can contain any numbers.
@Suite struct AggregateErrorTests {
  private static func realm(ints: [Int], grade: String = "a") throws -> Realm {
    let realm = try everyRealm()
    try realm.write {
      let every = realm.create(Every.self, value: ["ints": ints])
      every["grade"] = grade
    }
    return realm
  }

  private func expectReadError(
    _ realm: Realm, says sentence: String, _ body: () throws -> Void
  ) throws {
    let error = #expect(throws: Realm.Error.self) { try realm.throwingReadErrors(body) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains(sentence), "\(text)")
  }

  @Test func `a sum beyond 64 bits is zero and a read error`() throws {
    let realm = try Self.realm(ints: [.max, 1])
    let ints = try #require(realm.objects(Every.self).first).ints
    var sum = -1
    try expectReadError(realm, says: "the sum of 'self' does not fit 'Int'") { sum = ints.sum() }
    #expect(sum == 0)
    #expect(ints.average() == Double(Int.max) / 2)
  }

  @Test func `a sum beyond the type of the result is zero and a read error`() throws {
    let realm = try Self.realm(ints: [100, 100])
    let ints = try #require(realm.objects(Every.self).first).ints
    try expectReadError(realm, says: "does not fit 'Int8'") {
      let sum: Int8 = ints.sum(ofProperty: "self")
      #expect(sum == 0)
    }
    let sum: Int16 = ints.sum(ofProperty: "self")
    #expect(sum == 200)
  }

  @Test func `sums by key path have a type that holds them`() throws {
    let realm = try Self.realm(ints: [.max, .max])
    let every = try #require(realm.objects(Every.self).first)
    let sum = every.value(forKeyPath: "ints.@sum") as? Decimal128
    #expect(sum == Decimal128(string: "18446744073709551614"))
  }

  @Test func `a sum of a group that does not fit is zero, and other groups have theirs`() throws {
    let realm = try makeRealm()
    try realm.write {
      for (flag, number) in [(true, 100), (true, 100), (false, 7)] {
        realm.create(
          EveryScalar.self, value: ["id": ObjectId.generate(), "flag": flag, "int8": number])
      }
    }
    var sums: [ResultsGroup<Bool, Int8>] = []
    try expectReadError(realm, says: "the sum of 'int8' does not fit 'Int8'") {
      sums = realm.objects(EveryScalar.self).grouped(by: \.flag).sum(of: \.int8)
    }
    #expect(sums == [ResultsGroup(key: false, value: 7), ResultsGroup(key: true, value: 0)])
  }

  @Test func `a stored value that a key cannot hold has no group`() throws {
    let realm = try Self.realm(ints: [], grade: "unknown")
    try realm.write { _ = realm.create(Every.self, value: ["id": 1]) }
    var counts: [ResultsGroup<Grade, Int>] = []
    try expectReadError(realm, says: "'grade' holds a value that type 'Grade' cannot hold") {
      counts = realm.objects(Every.self).grouped(by: \.grade).count()
    }
    #expect(counts.map(\.value) == [1])
  }
}
