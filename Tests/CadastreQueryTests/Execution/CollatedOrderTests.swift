import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Orders with collations and positions of null, compared with an oracle.
@Suite struct CollatedOrderTests {
  private static let names = [
    "file2", "file10", "File10", "FILE2", "file02", "Élan", "elan", "Elan", "élan", "", "Ærø",
    "a b",
    "10", "9", "Z", "z1", "Z01", "ÉLAN 3", "elan 20",
  ]

  private static let collations: [Collation] = [
    [], .caseInsensitive, .diacriticInsensitive, .numeric, [.caseInsensitive, .numeric],
    [.caseInsensitive, .diacriticInsensitive, .numeric], .localized,
  ]

  private struct Key {
    let path: PropertyPath
    let isAscending: Bool
    let collation: Collation
    let nulls: NullOrder?

    init(_ random: inout SeededGenerator) {
      path = PropertyPath(
        random.pick(["name", "name", "berth.name", "crew", "seats", "fee", "built"]))
      isAscending = random.oneIn(2)
      collation = path.names.last == "name" ? random.pick(CollatedOrderTests.collations) : []
      nulls = random.pick([nil, .first, .last])
    }

    var sortKey: SortKey {
      SortKey(path, isAscending: isAscending, collation: collation, nulls: nulls)
    }

    var order: ExpectedOrder {
      ExpectedOrder(isAscending: isAscending, collation: collation, nulls: nulls)
    }
  }

  /// The sort value of a boat; nil behind a null link.
  private func value(_ key: Key, _ boat: Int64, _ fleet: PlainObjects) -> Value? {
    func member(_ name: String, _ object: PlainObject?) -> Value {
      if case .value(let value)? = object?[name] { value } else { .null }
    }
    let object = fleet.object("Boat", boat)
    guard key.path.names.count > 1 else { return member(key.path.names[0], object) }
    guard case .link(let harbor) = member("berth", object),
      let target = fleet.object("Harbor", harbor.rawValue)
    else { return nil }
    return member("name", target)
  }

  @Test(arguments: Seeds.usual(321...324))
  func `orders with options agree with the oracle`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fleet = random.fleet(harbors: 12, boats: 90)
    for boat in fleet.keys("Boat") {
      let name: Value = random.oneIn(6) ? .null : .string(random.pick(Self.names))
      fleet.update("Boat", boat, ["name": .value(name)])
    }
    for harbor in fleet.keys("Harbor") {
      fleet.update("Harbor", harbor, ["name": .value(.string(random.pick(Self.names)))])
    }
    let reader = try TestStore.temporary(holding: fleet).snapshot()
    for _ in 0..<60 {
      let keys = (0..<random.below(2) + 1).map { _ in Key(&random) }
      let (limit, offset) = (random.pick([nil, nil, 1, 5, 40]), random.pick([0, 0, 3]))
      let query = try ObjectQuery(
        "Boat", where: QueryPredicate(parsing: random.pick(["TRUEPREDICATE", "crew >= 0"])),
        order: keys.map(\.sortKey), offset: offset, limit: limit
      ).bound(to: fleet.schema)
      let matching = try ScanOracle(fleet).matching("Boat", query.predicate)
      let sorted = keys.reversed().reduce(matching) { boats, key in
        key.order.sorted(boats) { value(key, $0, fleet) }
      }
      let expected = Array(sorted.dropFirst(offset).prefix(limit ?? .max))
      for options in [Planner.Options(), .withoutIndexes] {
        let catalog = StoreCatalog(reader)
        let plan = Planner(catalog, options: options).plan(query)
        let found = try Executor(reader, catalog: catalog).keys(plan).keys
        #expect(found == expected, "seed \(seed): \(query.order)\n\(PlanText(plan).text())")
      }
      let again = try Executor(reader).sorted(matching, of: "Boat", by: query.order)
      #expect(again == sorted, "seed \(seed): \(query.order)")
    }
  }

  @Test func `an ordered index serves its own order only`() throws {
    var fleet = PlainObjects(schema: Boats.schema)
    for id in 0..<3000 {
      fleet.insert(
        "Boat",
        [
          "id": .value(.int(Int64(id))), "name": .value(.string("n\(id * 7919 % 3000)")),
          "crew": .value(.int(Int64(id % 7))),
          "key": .value(.objectId(ObjectId("000000000000000000000001"))),
        ])
    }
    let reader = try TestStore.temporary(holding: fleet).snapshot()
    func plan(_ key: SortKey) throws -> Plan {
      Planner(StoreCatalog(reader)).plan(
        try ObjectQuery("Boat", order: [key], limit: 5).bound(to: fleet.schema))
    }
    let path = PropertyPath("name")
    func key(_ isAscending: Bool, _ collation: Collation, _ nulls: NullOrder?) -> SortKey {
      SortKey(path, isAscending: isAscending, collation: collation, nulls: nulls)
    }
    #expect(try plan(key(true, [], nil)).access.kind == .orderedSearch)
    #expect(try plan(key(true, [], .first)).access.kind == .orderedSearch)
    #expect(try plan(key(false, [], .last)).access.kind == .orderedSearch)
    #expect(try plan(key(true, [], .last)).access.kind == .scan)
    #expect(try plan(key(false, [], .first)).access.kind == .scan)
    for collation in Self.collations where !collation.isEmpty {
      #expect(try plan(key(true, collation, nil)).access.kind == .scan)
    }
    let text = PlanText(try plan(key(false, [.caseInsensitive, .numeric], .first))).text()
    #expect(text.contains("name descending[cn] nulls first"), "\(text)")
  }
}
