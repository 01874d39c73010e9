import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import Testing

@testable import CadastrePostgres

/// Property: a query has the same keys in PostgreSQL and in the reference evaluator.
///
/// `CADASTRE_SEEDS` says how many times as many seeds are run.
@Suite(.serialized, .enabled(if: PostgresServer.shared != nil, "\(PostgresServer.missing)"))
struct AgreementTests {
  @Test(arguments: Seeds.usual(1...2))
  func `random queries agree with the reference evaluator`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fleet = random.fleet(harbors: 40, boats: 150).withoutNullCharacters
    let makers = ["Boat", "Boat", "Boat", "Harbor"].map {
      RandomPredicates($0, in: fleet.schema, from: fleet)
    }
    let agreed = try await compare(fleet, queries: 300, seed: seed, &random) { random in
      try random.pick(makers).query(depth: random.below(4), &random)
        .boundWithAnyOrder(to: fleet.schema)
    }
    #expect(agreed > 180, "too few queries were translated")
  }

  @Test(arguments: Seeds.usual(11...12))
  func `random queries of collections agree with the reference evaluator`(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let fleet = Fleet.random(harbors: 12, trips: 30, boats: 40, &random).withTables
      .withoutNullCharacters
    let predicates = RandomCollectionPredicates(fleet.schema)
    let agreed = try await compare(fleet, queries: 300, seed: seed, &random) { random in
      let root = try #require(fleet.schema[random.pick(["Boat", "Boat", "Trip", "Harbor"])])
      let predicate = predicates.predicate(root, depth: random.below(3), &random)
      return try ObjectQuery(root.className, where: predicate).bound(to: fleet.schema)
    }
    #expect(agreed > 100, "too few queries were translated")
  }

  @Test func `whole collections are compared by their elements`() async throws {
    let fleet = Fleet.examples.withTables.withoutNullCharacters
    let remote = try await PostgresFleet(fleet, on: try #require(PostgresServer.shared))
    let oracle = ScanOracle(fleet)
    for (text, keys) in [
      ("marks == {1, 2, 3}", [1]), ("marks != {}", [1, 3, 4, 5]), ("marks == {5, 5.0}", [3]),
      ("marks == {5}", []), ("notes == {null}", [5]), ("notes == {'ok', null}", [1]),
      ("flags == {'eu', 'dk', 'dk'}", [1]), ("flags != {'dk'}", [1, 2, 3, 5]),
      ("flags == {}", [2]), ("trips == {objKey('Trip', 1), objKey('Trip', 2)}", [1]),
      ("trips == {objKey('Trip', 2), objKey('Trip', 1)}", []), ("trips == {}", [2]),
      ("trips == {objKey('Trip', null)}", []), ("escort.marks == {}", [1, 3, 4]),
      ("mates == map('left': obj('Boat', 3), 'right': obj('Boat', 4))", [1]),
      ("mates == map('left': null)", [4]), ("mates == map('right': null)", []),
      ("mates != map()", [1, 4]),
    ] as [(String, [Int64])] {
      let query = try ObjectQuery("Boat", where: QueryPredicate(parsing: text))
        .bound(to: fleet.schema)
      #expect(try await remote.keys(query) == keys, "\(text)")
      #expect(try oracle.keys(query) == keys, "\(text)")
    }
  }

  @Test func `the printed SQL has the keys of the query`() async throws {
    var random = SeededGenerator(seed: 21)
    let fleet = random.fleet(harbors: 20, boats: 100).withoutNullCharacters
    let predicates = RandomPredicates("Boat", in: fleet.schema, from: fleet)
    let remote = try await PostgresFleet(fleet, on: try #require(PostgresServer.shared))
    // A user runs the printed SQL with a search path of his own.
    try await remote.connection.run("SET search_path = public")
    let oracle = ScanOracle(fleet)
    var compared = 0
    for _ in 0..<150 {
      var query = try predicates.query(depth: random.below(3), &random)
        .boundWithAnyOrder(to: fleet.schema)
      (query.order, query.limit, query.offset) = ([], nil, 0)
      let printed = try? SQLDialect.postgis.statement(query, fleet.schema, file: "")
      // Comments are about points near borders, which the oracle has.
      guard let printed, !printed.hasPrefix("--") else { continue }
      let result = try await remote.connection.run(SQLStatement(printed))
      let found = try (0..<result.rowCount).map { try result.integer($0, 0) }
      #expect(found == (try oracle.keys(query)), "seed 21: \(query.predicate)")
      compared += 1
    }
    #expect(compared > 60)
  }

  @Test func `the server folds the same letters as [c]`() async throws {
    let remote = try await PostgresConnection.open(try #require(PostgresServer.shared).newAddress())
    let character = "chr(code::int)"
    let result = try await remote.run(
      SQLStatement(
        """
        SELECT code::int8, ascii(\(SQLTranslator.folded(character)))::int8, char_length(\(SQLTranslator.folded(character)))::int8
        FROM generate_series(1, 1114111) code
        WHERE code NOT BETWEEN 55296 AND 57343 AND \(SQLTranslator.folded(character)) <> \(character)
        ORDER BY code
        """))
    let found = try (0..<result.rowCount).map { row in
      try [result.integer(row, 0), result.integer(row, 1), result.integer(row, 2)]
    }
    let expected = StringFolding.letters.map {
      [Int64($0.letter.value), Int64($0.folded.value), 1]
    }
    #expect(found == expected)
    // The place of a letter in its word is of no importance.
    let word = try await remote.run(
      SQLStatement("SELECT \(SQLTranslator.folded("'ΟΔΟΣ οδος İK'::text"))"))
    #expect(word.bytes(0, 0) == Array("οδοσ οδοσ ik".utf8))
  }

  /// Compares random queries, and returns the number of those that were translated.
  private func compare(
    _ fleet: PlainObjects, queries: Int, seed: UInt64, _ random: inout SeededGenerator,
    _ query: (inout SeededGenerator) throws -> BoundQuery
  ) async throws -> Int {
    let server = try #require(PostgresServer.shared)
    let remote = try await PostgresFleet(fleet, on: server)
    let oracle = ScanOracle(fleet)
    var (agreed, refused) = (0, 0)
    for number in 0..<queries {
      let query = try query(&random)
      let text = "seed \(seed), query \(number): \(query.className) where \(query.predicate)"
      do {
        let found = try await remote.keys(query)
        let expected = try oracle.keys(query)
        let count = try await remote.count(query)
        #expect(found == expected, "\(text) order \(query.order)")
        #expect(count == expected.count, "\(text)")
        if found != expected || count != expected.count {
          let parts = try await Self.differences(query, remote, oracle)
          Issue.record("different: \(parts.joined(separator: "; "))")
          return agreed
        }
        agreed += 1
      } catch let error as UntranslatablePart {
        #expect(Self.refusals.contains(error.reason), "\(error)")
        refused += 1
      } catch let error as PostgresError {
        Issue.record("\(text): \(error)")
        return agreed
      }
    }
    print("seed \(seed): \(agreed) queries agree, \(refused) were refused")
    return agreed
  }

  /// The comparisons of a query whose answers differ, with the keys that only one of them has.
  private static func differences(
    _ query: BoundQuery, _ remote: PostgresFleet, _ oracle: ScanOracle
  ) async throws -> [String] {
    var parts = [query.predicate]
    var differences: [String] = []
    while let part = parts.popLast() {
      switch part {
      case .and(let inner), .or(let inner): parts += inner
      case .not(let inner): parts.append(inner)
      case .constant, .comparison, .geoWithin, .relation:
        var single = query
        single.predicate = part
        (single.limit, single.offset) = (nil, 0)
        let (found, expected) = (try await remote.keys(single), try oracle.keys(single))
        let keys = Set(found).symmetricDifference(expected).sorted()
        if !keys.isEmpty { differences.append("\(part): \(keys)") }
      }
    }
    return differences
  }

  /// The reasons for which a random query may be refused.
  private static let refusals: Set = [
    "PostgreSQL compares no text without its diacritics in the same way",
    "it is translated for strings only", "an edge of the region is half of a great circle",
    "a part of it is not translated yet", "its right side is not translated yet",
    "its left side is not translated yet", "its values are no numbers",
    "sums are computed in another order there", "a whole collection is not compared",
    "PostgreSQL matches patterns by other rules", "it is compared with a list",
    "an embedded object is compared with an object", "a decimal is compared with another property",
    "its sides are of different kinds", "it is compared with a value of another kind",
    "a subquery of values is not translated yet", "an object may be counted several times",
    "a subquery of several collections is not translated yet",
    "an aggregate of several collections is not translated yet",
    "PostgreSQL orders texts with [n] by other rules",
    "PostgreSQL orders texts with [cd] by other rules",
  ]
}

extension PlainObjects {
  /// The objects without the properties that have no form in a table.
  var withTables: PlainObjects {
    var classes: [ObjectSchema] = []
    for owner in schema.objectSchema {
      let properties = owner.properties.filter { property in
        let isTable =
          owner.isEmbedded || property.collection == nil
          || schema.target(of: property)?.isEmbedded != true
        return property.type != .any && isTable
      }
      classes.append(
        ObjectSchema(
          className: owner.className, properties: properties,
          computedProperties: owner.computedProperties, isEmbedded: owner.isEmbedded))
    }
    var objects = PlainObjects(schema: Schema(classes))
    for owner in classes {
      for key in keys(owner.className) {
        objects.insert(owner.className, object(owner.className, key) ?? [:])
      }
    }
    return objects
  }

  /// The objects with texts that PostgreSQL can hold.
  var withoutNullCharacters: PlainObjects {
    var objects = self
    for owner in schema.objectSchema {
      for key in keys(owner.className) {
        guard let object = object(owner.className, key) else { continue }
        objects.update(owner.className, key, object.mapValues(\.withoutNullCharacters))
      }
    }
    return objects
  }
}

extension Member {
  fileprivate var withoutNullCharacters: Member {
    switch self {
    case .value(.string(let text)): .value(.string(text.replacing("\0", with: "\u{1}")))
    case .embedded(let inner): .embedded(inner.mapValues(\.withoutNullCharacters))
    case .list(let values):
      .list(
        values.map { value in
          if case .string(let text) = value {
            .string(text.replacing("\0", with: "\u{1}"))
          } else {
            value
          }
        })
    default: self
    }
  }
}
