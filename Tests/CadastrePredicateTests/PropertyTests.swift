import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastrePredicate

/// Properties of every predicate.
@Suite struct LawTests {
  @Test(arguments: Seeds.usual(21...26))
  func `a printed predicate parses back to itself`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fleet = random.fleet(harbors: 5, boats: 20)
    let maker = RandomPredicates("Boat", in: Boats.schema, from: fleet)
    for number in 0..<1000 {
      let predicate = maker.predicate(depth: random.below(5), &random)
      let text = predicate.description
      do {
        let parsed = try QueryPredicate(parsing: text)
        guard parsed != predicate else { continue }
        Issue.record("seed \(seed), predicate \(number):\n\(text)\nbecame\n\(parsed)")
      } catch {
        Issue.record("seed \(seed), predicate \(number): \(error)")
      }
      return
    }
  }

  @Test(arguments: [
    "NOT NOT crew == 3", "NOT (NOT crew == 3)", "!(NOT (! NOT crew == 3))",
    "NOT crew NOT IN {3}", "! name !BEGINSWITH 'A'", "NOT (name NOT LIKE 'A*')",
  ])
  func `two negations cancel each other`(text: String) throws {
    let predicate = try QueryPredicate(parsing: text)
    if case .not = predicate { Issue.record("\(predicate)") }
    #expect(try QueryPredicate(parsing: "\(predicate)") == predicate)
    #expect(try QueryPredicate(parsing: "NOT (\(text))") == .not(predicate))
  }

  @Test func `names of every kind parse back`() throws {
    let names = [
      "size", "in", "IN", "and", "null", "true", "nan", "inf", "any", "like", "text", "oid", "obj",
      "geoBox", "bin", "T1", "B64", "T", "größe", "日本", "a b", "a'b", "a\"b", "1a", "-a", "a-b",
      "$a",
      "%@", "a(b", "a{", "[c]", "\\", "a\nb", "\u{A0}", "e\u{301}", "\u{301}", "🚢", "#a", "T0:0",
      "\u{10FFFF}", "\0", "avg(x)", "count(distinct a b)", "harbor.name", "is", "where", "SORT",
      "limit",
      "ALL", "TRUEPREDICATE", "geodistance", "self", "@count", "km", "e", "f", "0x1", "nanf",
    ]
    for name in names {
      for path in [[name], ["a", name], [name, "a"]] {
        let predicate = QueryPredicate.compare(PropertyPath(path), .equal, .int(1))
        #expect(try QueryPredicate(parsing: "\(predicate)") == predicate, "\(predicate)")
        let other = QueryPredicate.comparison(
          Comparison(.property(PropertyPath("a")), .less, .property(PropertyPath(path))))
        #expect(try QueryPredicate(parsing: "\(other)") == other, "\(other)")
      }
    }
  }

  @Test(arguments: Seeds.usual(35...36))
  func `constants of every kind parse back`(seed: UInt64) throws {
    var values = RandomValues(seed: seed)
    let path = PropertyPath(["any"])
    func value(_ type: PropertyType) -> Value {
      // There is one NaN in the language.
      switch values.value(type) {
      case .double(let number) where number.isNaN: .double(.nan)
      case .float(let number) where number.isNaN: .float(.nan)
      case let value: value
      }
    }
    for type in RandomValues.scalarTypes where type != .geometry {
      for _ in 0..<100 {
        let list = Operand.list([value(type), value(type), .null])
        for predicate: QueryPredicate in [
          .compare(path, .notEqual, value(type)),
          .comparison(Comparison(.property(path), .isIn, list)),
          .comparison(Comparison(.property(path), .between, list)),
          .comparison(Comparison(.value(value(type)), .less, .property(path))),
          .compare(path, .equal, value(type)).negated,
        ] {
          #expect(
            try QueryPredicate(parsing: "\(predicate)") == predicate, "seed \(seed): \(predicate)")
        }
      }
    }
  }

  @Test(arguments: Seeds.usual(31...33))
  func `rules keep the meaning`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fleet = random.fleet(harbors: 5, boats: 25)
    let oracle = ScanOracle(fleet)
    let maker = RandomPredicates("Boat", in: Boats.schema, from: fleet)
    let root = try #require(Boats.schema["Boat"])
    for number in 0..<150 {
      let predicate = try maker.predicate(depth: random.below(5), &random)
        .bound(to: Boats.schema, root: root)
      let expected = try oracle.matching("Boat", predicate)
      let sets = [Set<String>()] + PredicateRules.all.map { [$0.name] }
      for switchedOff in sets {
        let simpler = PredicateRules.simplified(predicate, without: switchedOff)
        guard try oracle.matching("Boat", simpler) != expected else { continue }
        Issue.record("seed \(seed), predicate \(number):\n\(predicate)\nbecame\n\(simpler)")
        return
      }
      #expect(
        PredicateRules.simplified(PredicateRules.simplified(predicate))
          == PredicateRules.simplified(predicate))
    }
  }

  @Test func `a chain of 100,000 terms takes linear time`() throws {
    let text = (0..<100_000).map { "crew == \($0)" }.joined(separator: " OR ")
    let predicate = try bound(text)
    #expect(predicate.description == text)
    #expect(try ScanOracle(Boats.examples).matching("Boat", predicate) == [1, 2, 3, 4, 5])
    let simpler = PredicateRules.simplified(predicate)
    #expect(simpler.conjuncts.count == 1)
    #expect(try ScanOracle(Boats.examples).matching("Boat", simpler) == [1, 2, 3, 4, 5])
  }

  @Test func `deeply nested parentheses are an error`() throws {
    let open = String(repeating: "(", count: 10_000)
    let close = String(repeating: ")", count: 10_000)
    let error = #expect(throws: QueryPredicateError.self) {
      try QueryPredicate(parsing: "\(open)crew == 3\(close)")
    }
    #expect(error?.kind == .syntax)
    #expect(error?.message == "more than 200 brackets inside each other")
    let nots =
      String(repeating: "NOT (", count: 200) + "crew == 3" + String(repeating: ")", count: 200)
    #expect(try matching(nots) == [1, 4])
    #expect(try matching(String(repeating: "!", count: 100_001) + "crew == 3") == [2, 3, 5])
    let openers = [
      "{", "[", "geoMultiPolygon(", "obj('a', ", "NOT (", "a == {", "{ANY ", "{ALL {", "{'a': ",
      "geoDistance(", "geoDistance({", "a == {geoDistance(", "SUBQUERY(a, $x, ",
    ]
    for opener in openers {
      #expect(throws: QueryPredicateError.self) {
        try QueryPredicate(parsing: String(repeating: opener, count: 10_000))
      }
    }
    // Regions as strings within regions as strings.
    #expect(throws: QueryPredicateError.self) {
      try QueryPredicate(parsing: "a GEOWITHIN $0", arguments: [.string("$0")])
    }
  }

  @Test(arguments: Seeds.usual(41...42))
  func `mutated texts are read or refused`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fleet = random.fleet(harbors: 3, boats: 10)
    let maker = RandomPredicates("Boat", in: Boats.schema, from: fleet)
    let root = try #require(Boats.schema["Boat"])
    let pieces = [
      "(", ")", "{", "}", "[", "]", ",", ".", "'", "\"", "\\", "\\u", "%@", "%K", "$0", "$K0",
      "NOT ",
      "AND", " OR ", "==", "<", "BETWEEN", "IN", "T", ":", "-", "0x", "1e999",
      "9223372036854775808",
      "nan", "null", "\0", "\u{301}", "🚢", "[c]", "geoCircle(", "oid(", "bin(", "B64'", "obj(", "#",
      "2001-05-01@", "f", "e", "\n", "&", "|", "!",
    ]
    let arguments: [PredicateArgument] = [.int(3), .string("crew"), .list([.int(1)]), .members([])]
    var texts = (0..<50).map { _ in maker.predicate(depth: 2, &random).description }
    var isRead = 0
    for _ in 0..<10_000 {
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
        isRead += 1
        if random.oneIn(50) { texts[random.below(texts.count)] = text }
        _ = try predicate.bound(to: Boats.schema, root: root)
      } catch {
        if let span = error.span {
          #expect(span.offset >= 0 && span.offset <= scalars.count && span.count > 0, "\(text)")
        }
        #expect(!error.description.isEmpty)
      }
    }
    #expect(isRead > 500)
  }
}
