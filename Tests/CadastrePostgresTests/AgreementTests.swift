import CadastreModel
import CadastrePostgres
import CadastrePredicate
import CadastreTestSupport
import Testing

/// Property: a query has the same keys in PostgreSQL and in the reference evaluator.
///
/// `CADASTRE_SEEDS` says how many times as many seeds are run.
@Suite(.serialized, .enabled(if: PostgresServer.shared != nil, "\(PostgresServer.missing)"))
struct AgreementTests {
  @Test(arguments: Seeds.usual(1...2))
  func `random queries agree with the reference evaluator`(seed: UInt64) async throws {
    let server = try #require(PostgresServer.shared)
    var random = SeededGenerator(seed: seed)
    let fleet = random.fleet(harbors: 40, boats: 150).withoutNullCharacters
    let remote = try await PostgresFleet(fleet, on: server)
    let oracle = ScanOracle(fleet)
    let makers = ["Boat", "Boat", "Boat", "Harbor"].map {
      RandomPredicates($0, in: fleet.schema, from: fleet)
    }
    var (agreed, refused) = (0, 0)
    for number in 0..<300 {
      let query = try random.pick(makers).query(depth: random.below(4), &random)
        .boundWithAnyOrder(to: fleet.schema)
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
          return
        }
        agreed += 1
      } catch let error as UntranslatablePart {
        #expect(Self.refusals.contains(error.reason), "\(error)")
        refused += 1
      } catch let error as PostgresError {
        Issue.record("\(text): \(error)")
        return
      }
    }
    print("seed \(seed): \(agreed) queries agree, \(refused) were refused")
    #expect(agreed > 180, "too few queries were translated")
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
  ]
}

extension PlainObjects {
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
    case .value(.string(let text)): .value(.string(text.replacing("\0", with: "0")))
    case .embedded(let inner): .embedded(inner.mapValues(\.withoutNullCharacters))
    default: self
    }
  }
}
