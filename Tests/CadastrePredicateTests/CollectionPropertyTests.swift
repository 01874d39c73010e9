import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastrePredicate

/// Properties of every predicate on collections.
@Suite struct CollectionLawTests {
  @Test(arguments: Seeds.usual(51...56))
  func `a predicate parses back to itself, before and after it is bound`(seed: UInt64) throws {
    try forRandomPredicates(seed: seed, count: 500) { predicate, root in
      let bound = try predicate.bound(to: Fleet.schema, root: root)
      guard "\(bound)" == "\(bound.named)", bound.summary == bound.named.summary else {
        return "\(bound)\nis by name\n\(bound.named)"
      }
      for form in [predicate, bound.named] {
        let parsed = try QueryPredicate(parsing: "\(form)")
        guard parsed == form else { return "\(form)\nbecame\n\(parsed)" }
      }
      let again = try bound.named.bound(to: Fleet.schema, root: root)
      return again == bound ? nil : "\(bound)\nbound again became\n\(again)"
    }
  }

  @Test(arguments: Seeds.usual(61...64))
  func `NOT is the complement, and rules keep the meaning`(seed: UInt64) throws {
    let oracle = ScanOracle(Fleet.examples)
    try forRandomPredicates(seed: seed, count: 300) { predicate, root in
      let bound = try predicate.bound(to: Fleet.schema, root: root)
      let found = try oracle.matching(root.className, bound)
      let others = try oracle.matching(root.className, .not(bound))
      guard Set(found).isDisjoint(with: others),
        found.count + others.count == Fleet.examples.keys(root.className).count
      else { return "\(bound) and its complement" }
      for switchedOff in [Set<String>()] + PredicateRules.all.map({ [$0.name] }) {
        let simpler = PredicateRules.simplified(bound, without: switchedOff)
        guard try oracle.matching(root.className, simpler) == found else {
          return "\(bound)\nbecame\n\(simpler)"
        }
      }
      return nil
    }
  }

  @Test func `the dependencies of a predicate are reported`() throws {
    let predicate = try QueryPredicate(
      parsing: """
        ANY trips.to.name == 'x' AND marks.@sum > trips.@max.miles AND specs['k'] + 1 == 3 AND \
        SUBQUERY(trips, $t, $t.to == objKey('Harbor', 3) AND ANY $t.stops == 'y').@count > 0 AND \
        @links.Boat.escort IN {objKey('Boat', 1), objKey('Boat', 2)} AND berth.site GEOWITHIN \
        geoCircle([0, 0], 1)
        """)

    let root = try #require(Fleet.schema["Boat"])
    #expect(
      try predicate.bound(to: Fleet.schema, root: root).paths.map(\.description) == [
        "trips.to.name", "marks", "trips", "specs['k']", "trips", "@links.Boat.escort",
        "berth.site",
      ])
    #expect(
      predicate.objectReferences.map(\.description) == [
        "objKey('Harbor', 3)", "objKey('Boat', 1)", "objKey('Boat', 2)",
      ])
  }

  @Test func `the properties that decide are named with their classes`() throws {
    let root = try #require(Fleet.schema["Boat"])
    let table: [(String, [String], [String], Bool)] = [
      ("crew == 3", ["Boat.crew"], [], false),
      (
        "ANY trips.to.name == 'x'", ["Boat.trips", "Harbor.name", "Trip.to"], [], false
      ),
      (
        "SUBQUERY(trips, $t, $t.miles > 3).@count > 0", ["Boat.trips", "Trip.miles"], [], false
      ),
      (
        "berth.boats.crew > 3", ["Boat.berth", "Boat.crew"], ["Boat"], false
      ),
      ("@links.Boat.escort.marks == 3", ["Boat.escort", "Boat.marks"], ["Boat"], false),
      ("trips.@sum.miles > 3", ["Boat.trips", "Trip.miles"], [], false),
      ("extra.name == 'x'", ["Boat.extra"], [], true),
      (
        "berth.@links.@count == 1",
        ["Boat.berth", "Boat.extra", "Boat.specs", "Trip.to"], ["Boat", "Trip"], false
      ),
      (
        "berth.site GEOWITHIN geoCircle([0, 0], 1)", ["Boat.berth", "Harbor.site"], [], false
      ),
    ]
    for (text, properties, classes, followsAnyLink) in table {
      let bound = try QueryPredicate(parsing: text).bound(to: Fleet.schema, root: root)
      let uses = PropertyUses(bound, [], in: Fleet.schema)
      #expect(
        uses.properties.map { "\($0.className).\($0.propertyName)" }.sorted() == properties,
        "\(text)")
      #expect(uses.linkingClasses.sorted() == classes, "\(text)")
      #expect(uses.followsAnyLink == followsAnyLink, "\(text)")
    }
  }

  @Test(arguments: Seeds.usual(81...84))
  func `mutated texts are parsed or rejected, and bound predicates can be evaluated`(seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    let maker = RandomCollectionPredicates(Fleet.schema)
    let root = try #require(Fleet.schema["Boat"])
    let evaluator = ReferenceEvaluator(schema: Fleet.schema, root: root)
    let pieces = [
      "(", ")", "{", "}", "[", "]", ",", ".", ":", "@", "$", "*", "/", " + ", " - ", "'", "@count",
      "@sum", "@links.", "@type", "$x.", "$0", "%K", "[*]", "[0]", "['k']", "[FIRST]", "ANY ",
      "ALL ", "NONE ", "NOT ", " IN ", "SUBQUERY(", "MATCHES", "decimal(", "{:}", "== null", "1",
      " AND ", " OR ", "length", "SORT(", " ASC", "LIMIT(",
    ]
    let arguments: [PredicateArgument] = [.string("trips.@count"), .list([.int(1)]), .members([])]
    let texts = (0..<100).map { _ in maker.predicate(root, depth: 1, &random).description }
    var isAsked = 0
    for _ in 0..<5000 {
      var scalars = Array(random.pick(texts).unicodeScalars.prefix(400))
      for _ in 0..<random.below(3) + 1 {
        let place = random.below(scalars.count + 1)
        let end = min(scalars.count, place + random.below(4))
        scalars.replaceSubrange(
          place..<end, with: random.oneIn(4) ? [] : Array(random.pick(pieces).unicodeScalars))
      }
      let text = String(String.UnicodeScalarView(scalars))
      do throws(QueryPredicateError) {
        let predicate = try QueryPredicate(parsing: text, arguments: arguments)
        #expect(try QueryPredicate(parsing: "\(predicate)") == predicate, "\(text)")
        let bound = try predicate.bound(to: Fleet.schema, root: root)
        #expect(try QueryPredicate(parsing: "\(bound)") == bound.named, "\(text)")
        _ = try evaluator.matches(PlainSubject(Fleet.examples, root, 3), bound.named)
        isAsked += 1
      } catch {
        if let span = error.span {
          #expect(span.offset >= 0 && span.offset <= scalars.count && span.count > 0, "\(text)")
        }
        #expect(!error.description.isEmpty)
      }
    }
    #expect(isAsked > 100)
  }

  private func forRandomPredicates(
    seed: UInt64, count: Int,
    _ problem: (QueryPredicate, ObjectSchema) throws -> String?
  ) throws {
    var random = SeededGenerator(seed: seed)
    let maker = RandomCollectionPredicates(Fleet.schema)
    let roots = try ["Boat", "Boat", "Harbor", "Trip"].map { try #require(Fleet.schema[$0]) }
    for number in 0..<count {
      let root = random.pick(roots)
      let predicate = maker.predicate(root, depth: random.below(4), &random)
      do {
        guard let problem = try problem(predicate, root) else { continue }
        Issue.record("seed \(seed), predicate \(number):\n\(problem)")
      } catch {
        Issue.record("seed \(seed), predicate \(number): \(error)\n\(predicate)")
      }
      return
    }
  }
}
