import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

@testable import Cadastre

/// A ship of the tests of cached queries.
final class Steamer: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var crew: Int
  @Persisted(indexed: true) var seats: Int?
  @Persisted(indexed: true) var draft: Double
  @Persisted var fee: Double?
  @Persisted(indexed: true) var name: String?
  @Persisted(indexed: true) var note: String
  @Persisted var active: Bool
  @Persisted var built: Date
  @Persisted var marks: List<Int>
  @Persisted var place: SteamerPlace?
  @Persisted var route: SteamerRoute?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class SteamerPlace: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class SteamerRoute: Object {
  @Persisted(primaryKey: true) var code: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Property: a query that all front ends repeat with other arguments has the result of the reference evaluator.
@Suite struct CachedQueryTests {
  /// One set of arguments.
  private struct Arguments {
    let int: Int
    let other: Int
    let optional: Int?
    let number: Double
    let text: String
    let name: String?
    let flag: Bool
    let date: Date
    let ints: [Int]
    let region: GeoCircle
    let route: String?

    init(_ random: inout SeededGenerator) throws {
      int = random.pick([0, 1, 3, 4, -1, .max, .min])
      other = random.pick([0, 2, 5, 9, .max])
      optional = random.oneIn(4) ? nil : random.pick([0, 2, 4, .min])
      number = random.pick([
        0, -0.0, 1.5, 2, .nan, .infinity, -.infinity, 1e300, 0x1p63, .leastNonzeroMagnitude,
      ])
      text = random.pick(CachedQueryTests.texts)
      name = random.oneIn(4) ? nil : random.pick(CachedQueryTests.texts)
      flag = random.oneIn(2)
      date = random.pick(CachedQueryTests.dates)
      ints = (0..<random.below(4)).map { _ in CachedQueryTests.crew(&random) }
      let center = try #require(
        GeoPoint(latitude: random.number(-90...90), longitude: random.number(-180...180)))
      region = try #require(
        GeoCircle(center: center, radiusInRadians: random.pick([0, 0.2, 1, .pi])))
      route = random.oneIn(4) ? nil : random.pick(["A", "B", "none"])
    }
  }

  /// A query in the forms of the front ends.
  private struct Shape {
    let text: String
    let arguments: (Arguments, Realm) -> [Any?]
    let condition: (Arguments, Realm) -> (Query<Steamer>) -> Query<Bool>
    /// The form of Foundation; nil where it has none.
    var predicate: ((Arguments) -> Foundation.Predicate<Steamer>)?
    /// Whether the arguments can be written into the text.
    var isPrinted = true
  }

  private static let texts = [
    "", "a", "al", "alma", "ALMA", "\u{10FFFF}", "al\u{10FFFF}", "a\0b", "e\u{301}", "\u{e9}",
  ]
  private static let dates = [
    Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 0.5), .distantPast, .distantFuture,
  ]

  private static func crew(_ random: inout SeededGenerator) -> Int {
    random.pick([0, 1, 2, 3, 4, 9, .max, .min])
  }

  private static func route(_ code: String?, _ realm: Realm) -> SteamerRoute? {
    code.flatMap { realm.object(ofType: SteamerRoute.self, forPrimaryKey: $0) }
  }

  private static func shapes() -> [Shape] {
    numbers() + words() + links()
  }

  private static func numbers() -> [Shape] {
    [
      Shape(
        text: "crew == $0 AND draft < $1", arguments: { values, _ in [values.int, values.number] },
        condition: { values, _ in { $0.crew == values.int && $0.draft < values.number } },
        predicate: { values in
          let (int, number) = (values.int, values.number)
          return #Predicate { $0.crew == int && $0.draft < number }
        }),
      Shape(
        text: "seats == $0 OR seats == $1",
        arguments: { values, _ in [values.optional, values.other] },
        condition: { values, _ in { $0.seats == values.optional || $0.seats == values.other } },
        predicate: { values in
          let (first, second) = (values.optional, values.other)
          return #Predicate { $0.seats == first || $0.seats == second }
        }),
      Shape(
        text: "crew IN $0", arguments: { values, _ in [values.ints] },
        condition: { values, _ in { $0.crew.in(values.ints) } },
        predicate: { values in
          let ints = values.ints
          return #Predicate { ints.contains($0.crew) }
        }),
      Shape(
        text: "crew >= $0 AND crew <= $1 AND active == $2",
        arguments: { values, _ in
          [min(values.int, values.other), max(values.int, values.other), values.flag]
        },
        condition: { values, _ in
          let range = min(values.int, values.other)...max(values.int, values.other)
          return { $0.crew.contains(range) && $0.active == values.flag }
        },
        predicate: { values in
          let range = min(values.int, values.other)...max(values.int, values.other)
          let flag = values.flag
          return #Predicate { range.contains($0.crew) && $0.active == flag }
        }),
      Shape(
        text: "NOT crew > $0 AND seats != $1",
        arguments: { values, _ in [values.int, values.optional] },
        condition: { values, _ in { !($0.crew > values.int) && $0.seats != values.optional } },
        predicate: { values in
          let (int, optional) = (values.int, values.optional)
          return #Predicate { !($0.crew > int) && $0.seats != optional }
        }),
      Shape(
        text: "draft >= $0", arguments: { values, _ in [values.number] },
        condition: { values, _ in { $0.draft >= values.number } },
        predicate: { values in
          let number = values.number
          return #Predicate { $0.draft >= number }
        }),
      Shape(
        text: "fee < $0", arguments: { values, _ in [values.number] },
        condition: { values, _ in { $0.fee < values.number } }),
      Shape(
        text: "ANY marks > $0", arguments: { values, _ in [values.int] },
        condition: { values, _ in { $0.marks > values.int } },
        predicate: { values in
          let int = values.int
          return #Predicate { $0.marks.contains { $0 > int } }
        }),
      Shape(
        text: "built > $0", arguments: { values, _ in [values.date] },
        condition: { values, _ in { $0.built > values.date } },
        predicate: { values in
          let date = values.date
          return #Predicate { $0.built > date }
        }),
    ]
  }

  private static func words() -> [Shape] {
    [
      Shape(
        text: "name == $0 AND note > $1", arguments: { values, _ in [values.name, values.text] },
        condition: { values, _ in { $0.name == values.name && $0.note > values.text } },
        predicate: { values in
          let (name, text) = (values.name, values.text)
          return #Predicate { $0.name == name && $0.note > text }
        }),
      Shape(
        text: "note BEGINSWITH $0", arguments: { values, _ in [values.text] },
        condition: { values, _ in { $0.note.starts(with: values.text) } },
        predicate: { values in
          let text = values.text
          return #Predicate { $0.note.starts(with: text) }
        }),
      Shape(
        text: "note CONTAINS $0 OR crew == $1",
        arguments: { values, _ in [values.text, values.int] },
        condition: { values, _ in { $0.note.contains(values.text) || $0.crew == values.int } },
        predicate: { values in
          let (text, int) = (values.text, values.int)
          return #Predicate { $0.note.contains(text) || $0.crew == int }
        }),
    ]
  }

  private static func links() -> [Shape] {
    [
      Shape(
        text: "route.code == $0", arguments: { values, _ in [values.text] },
        condition: { values, _ in { $0.route.code == values.text } },
        predicate: { values in
          let text = values.text
          return #Predicate { $0.route?.code == text }
        }),
      Shape(
        text: "route == $0", arguments: { values, realm in [route(values.route, realm)] },
        condition: { values, realm in
          let route = route(values.route, realm)
          return { $0.route == route }
        }, isPrinted: false),
      Shape(
        text: "place GEOWITHIN $0 AND crew > $1",
        arguments: { values, _ in [values.region, values.int] },
        condition: { values, _ in { $0.place.geoWithin(values.region) && $0.crew > values.int } },
        isPrinted: false),
    ]
  }

  // MARK: Objects

  private static func realm(_ identifier: String) throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: identifier,
        objectTypes: [Steamer.self, SteamerPlace.self, SteamerRoute.self]))
  }

  private static func fill(_ realm: Realm, _ ids: Range<Int>, _ random: inout SeededGenerator) {
    for code in ["A", "B", "al"] {
      realm.create(SteamerRoute.self, value: ["code": code], update: .all)
    }
    for id in ids {
      let steamer = Steamer()
      steamer.id = id
      steamer.crew = crew(&random)
      steamer.seats = random.oneIn(3) ? nil : random.pick([0, 2, 4, 5, .min])
      steamer.draft = random.pick([0, -0.0, 1.5, 2, .nan, .infinity, -.infinity, 1e300, 0x1p63])
      steamer.fee = random.oneIn(3) ? nil : random.pick([0, -0.0, 1.5, .nan, -1])
      steamer.name = random.oneIn(4) ? nil : random.pick(texts)
      steamer.note = random.pick(texts)
      steamer.active = random.oneIn(2)
      steamer.built = random.pick(dates)
      steamer.marks.append(objectsIn: (0..<random.below(3)).map { _ in crew(&random) })
      if !random.oneIn(4) {
        let place = SteamerPlace()
        place.coordinates.append(objectsIn: [
          random.number(-180...180), random.number(-90...90),
        ])
        steamer.place = place
      }
      steamer.route = route(random.pick(["A", "B", "al", nil]), realm)
      realm.add(steamer)
    }
  }

  // MARK: Checks

  /// Runs each query with several sets of arguments in all forms.
  ///
  /// - Returns: The number of results that hold some object, but not all.
  @discardableResult
  private static func check(
    _ realm: Realm, _ name: String, _ random: inout SeededGenerator, seed: UInt64
  ) throws -> Int {
    let steamers = realm.objects(Steamer.self)
    let objects = Array(steamers)
    let schema = Schema(realm.core.schema.objectSchema)
    let root = try #require(schema["Steamer"])
    let evaluator = ReferenceEvaluator(schema: schema, root: root)
    var selective = 0
    for shape in shapes() {
      let prepared = try realm.prepare(shape.text, on: Steamer.self)
      for _ in 0..<6 {
        let values = try Arguments(&random)
        let arguments = shape.arguments(values, realm)
        let named = try QueryPredicate(
          parsing: shape.text, arguments: PredicateArgument.arguments(arguments))
        let bound = try named.bound(to: schema, root: root).named
        let expected = try objects.filter { try evaluator.matches(ObjectSubject($0), bound) }
          .map(\.id)
        var found: [(form: String, ids: [Int])] = [
          ("text", ids(try steamers.filter(parsing: shape.text, arguments: arguments))),
          ("prepared", ids(try prepared.objects(arguments: arguments))),
          ("where", ids(try steamers.where(checking: shape.condition(values, realm)))),
        ]
        if let predicate = shape.predicate?(values) {
          found.append(("#Predicate", ids(try steamers.filter(predicate))))
        }
        if shape.isPrinted {
          found.append(("literals", ids(try steamers.filter(parsing: "\(named)"))))
        }
        for (form, ids) in found where ids != expected {
          Issue.record(
            """
            seed \(seed), \(name), \(form): \(named)
            found \(ids)
            expected \(expected)
            """)
          return selective
        }
        if !expected.isEmpty, expected.count < objects.count { selective += 1 }
      }
    }
    return selective
  }

  private static func ids(_ results: Results<Steamer>) -> [Int] { results.map(\.id) }

  @Test(arguments: Seeds.usual(211...211))
  func `all front ends agree with literals and the evaluator in every reader`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let identifier = UUID().uuidString
    let realm = try Self.realm(identifier)
    try realm.write { Self.fill(realm, 0..<10, &random) }
    let older = realm.freeze()
    try realm.write { Self.fill(realm, 10..<40, &random) }

    #expect(try Self.check(realm, "live", &random, seed: seed) > 20, "seed \(seed)")
    try Self.check(older, "an older frozen version", &random, seed: seed)
    try Self.check(realm.freeze(), "frozen", &random, seed: seed)
    try realm.write {
      Self.fill(realm, 40..<50, &random)
      realm.delete(realm.objects(Steamer.self).filter("id < 5"))
      for steamer in realm.objects(Steamer.self).filter("id < 12") { steamer.crew = 3 }
      try Self.check(realm, "a write transaction", &random, seed: seed)
    }
    try onNewThread { [random] in
      var random = random
      try Self.check(Self.realm(identifier), "another thread", &random, seed: seed)
    }
    try Self.check(realm, "live again", &random, seed: seed)
  }

  @Test func `an argument that does not fit is the same error in a repeated query`() throws {
    let realm = try Self.realm(UUID().uuidString)
    let steamers = realm.objects(Steamer.self)
    let fitting: [String: [Any?]] = [
      "crew == $0 AND note BEGINSWITH $1": [3, "a"], "crew IN $0": [[1, 2]],
      "name == $0": [nil], "crew BETWEEN $0": [[1, 2]], "built < $0": [Date()],
      "NOT (draft > $0 OR active == $1)": [1.5, true],
    ]
    let wrong: [Any?] = [
      nil, "x", Double.nan, Double.infinity, 1e300, -0.0, UInt64(7), Int8(3), Decimal128("0.1"),
      true, Data(), Date.distantPast, UUID(), ObjectId.generate(), [Int](), [1, 2, 3], ["a", nil],
    ]
    for (text, arguments) in fitting.sorted(by: { $0.key < $1.key }) {
      let prepared = try realm.prepare(text, on: Steamer.self)
      for index in arguments.indices {
        for value in wrong {
          var changed = arguments
          changed[index] = value
          // The arguments that fit fill the caches before and between those that do not.
          _ = try prepared.objects(arguments: arguments)
          _ = try steamers.filter(parsing: text, arguments: arguments)
          let expected = message {
            let named = try QueryPredicate(
              parsing: text, arguments: PredicateArgument.arguments(changed))
            let schema = Schema(realm.core.schema.objectSchema)
            _ = try named.bound(to: schema, root: #require(schema["Steamer"]))
          }
          let found = message { _ = try steamers.filter(parsing: text, arguments: changed) }
          let again = message { _ = try prepared.objects(arguments: changed) }
          #expect(found == expected && again == expected, "\(text), \(changed)")
        }
      }
    }
  }

  @Test func `the names along a key path are the same each time`() {
    for _ in 0..<3 {
      #expect(PropertyNames.persistedSteps(of: \Steamer.note) == [.property("note")])
      #expect(
        PropertyNames.persistedSteps(of: \Steamer.route?.code)
          == [.property("route"), .property("code")])
      #expect(PropertyNames.persistedSteps(of: \SteamerRoute.code) == [.property("code")])
      #expect(PropertyNames.persistedSteps(of: \Steamer.objectSchema) == nil)
      #expect(PropertyNames.name(of: \Steamer.route?.code) == "route.code")
    }
  }

  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch {
      return (error as? QueryPredicateError)?.message ?? "\(error)"
    }
  }
}
