import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastrePredicate

/// The worked examples of the predicate language, about the fleet.
@Suite struct LanguageTests {
  @Test func `the numbered examples have the results that the language defines`() throws {
    let differences = try ScriptRunner("language.script").run(FleetQuery.result)
    for difference in differences { Issue.record("\(difference)") }
  }

  @Test func `further queries have the results that the language defines`() throws {
    let differences = try ScriptRunner("collections.script").run(FleetQuery.result)
    for difference in differences { Issue.record("\(difference)") }
  }

  @Test func `arguments are paths, keys, lists and objects`() throws {
    let harbors = [1, 2].map {
      ObjectReference(className: "Harbor", identity: .key(ObjectKey($0)))
    }
    let red = PredicateArgument.string("red")
    let table: [(String, [PredicateArgument], String)] = [
      ("%K == 2", [.string("marks.@count")], "[3, 5]"),
      ("%K > 50", [.string("trips.@max.miles")], "[3]"),
      ("ANY %K > %@", [.string("trips.miles"), .int(10)], "[1, 3, 4]"),
      ("%K.@links.Boat.berth.crew > 6", [.string("berth")], "[5]"),
      ("%K == 1", [.string("@links.Boat.escort.@count")], "[1, 2, 5]"),
      ("ANY %K == 'hp'", [.string("specs.@allKeys")], "[1, 3, 5]"),
      ("specs[%K] == %@", [.string("color"), red], "[1]"),
      ("specs[%@] == %@", [.string("color"), red], "[1]"),
      ("extra[%K] == 1", [.string("#any")], "[3]"), ("marks[%@] == 5", [.int(1)], "[3]"),
      ("ALL %@ IN marks", [.list([.int(1), .int(2)])], "[1]"),
      ("crew == NONE $0", [.list([.int(3), .int(7)])], "[2, 3]"),
      ("trips.to IN %@", [.objects(harbors)], "[1, 3, 4]"),
      ("berth IN %@", [.objects(harbors)], "[1, 2, 4]"), ("berth IN %@", [.objects([])], "[]"),
      ("%@ IN trips.to", [.object(harbors[0])], "[3, 4]"),
      ("extra == %@", [.value(.object(ObjectAddress(className: "Boat", key: ObjectKey(1))))], "[]"),
      (
        "SUBQUERY(%K, $t, $t.%K > %@).@count > 0", [.string("trips"), .string("miles"), .int(50)],
        "[3]"
      ),
      ("fee == %@", [.value(.decimal("10.500"))], "[1, 4]"),
    ]
    for (text, arguments, result) in table {
      #expect(try FleetQuery.result(text, "Boat", arguments) == result, "\(text)")
    }
    for (text, arguments) in [
      ("marks[%@] == 5", [PredicateArgument.value(.double(1))]),
      ("%K == 1", [.string("marks.@nope")]),
      ("ANY %@ == 1", [.objects(harbors)]), ("marks == %@", [.objects(harbors)]),
      ("extra < %@", [.value(.list([]))]),
    ] {
      #expect(throws: QueryPredicateError.self, "\(text)") {
        try FleetQuery.keys(text, "Boat", arguments)
      }
    }
  }

  @Test func `links in values of any type are followed`() throws {
    var objects = Fleet.examples
    let boat = Value.object(ObjectAddress(className: "Boat", key: ObjectKey(3)))
    objects.update("Boat", 2, ["extra": .value(boat)])
    objects.update("Boat", 4, ["extra": .value(.list([boat, .map(ValueMap([("b", boat)]))]))])
    let root = try #require(Fleet.schema["Boat"])
    let oracle = ScanOracle(objects)
    for (text, keys) in [
      ("extra.name == 'Bo*t'", [Int64(2)]), ("extra.marks == 5", [2]),
      ("extra.berth.name == null", [2]), ("extra[1].b.escort.crew == 0", [4]),
      ("extra[*].crew == 12", [4]), ("extra == objKey('Boat', 3)", [2]), ("extra.nope == 1", []),
      ("extra[*] == objKey('Boat', 3)", [4]), ("extra.@type == 'link'", [2]),
      ("@links.@count == 4", [3]),
    ] {
      let bound = try QueryPredicate(parsing: text).bound(to: Fleet.schema, root: root)
      #expect(try oracle.matching("Boat", bound) == keys, "\(text)")
    }
  }

  @Test func `the builder's trees are those of texts`() throws {
    let marks = PropertyPath("marks")
    let trips = PropertyPath("trips")
    let table: [(QueryPredicate, String)] = [
      (.compare(.all, marks, .greater, .int(3)), "ALL marks > 3"),
      (.compareCount(of: marks, .equal, .int(3)), "marks.@count == 3"),
      (
        .compareCount(
          of: trips, where: .compare(PropertyPath("miles"), .less, .int(3)), .equal, .int(1)),
        "SUBQUERY(trips, $t, $t.miles < 3).@count == 1"
      ),
      (.compare(PropertyPath("specs")["hp"], .equal, .int(3)), "specs['hp'] == 3"),
      (.compare(.any, PropertyPath("specs").keys, .equal, .string("a")), "specs.@keys == 'a'"),
      (
        .compare(PropertyPath("extra")["k"][0].every, .equal, .null),
        "extra['k'][0][*] == null"
      ),
    ]
    for (tree, text) in table { #expect(try QueryPredicate(parsing: text) == tree, "\(tree)") }
  }

  @Test func `contents become comparisons of members and elements`() throws {
    for (className, text, meaning) in [
      (
        "Harbor", "buoys == {'type': 'Point'}",
        "SUBQUERY(buoys, $x, $x.type == 'Point').@count > 0"
      ),
      (
        "Harbor", "buoys != {'type': 'Point'}",
        "buoys.@count > 0 AND SUBQUERY(buoys, $x, $x.type == 'Point').@count == 0"
      ),
      (
        "Harbor", "buoys == {{'type': 'Point'}, {:}}",
        "buoys.@count == 2 AND buoys[0].@count == 1 AND buoys[0].type == 'Point' "
          + "AND buoys[1].@count == 1"
      ),
      ("Harbor", "buoys == {}", "buoys.@count == 0"),
      (
        "Harbor", "site IN {{'type': 'Point'}, null}",
        "site != null AND site.type == 'Point' OR site == null"
      ),
      ("Boat", "trips != {}", "NOT trips.@count == 0"),
      ("Boat", "{} == specs", "specs.@count == 0"),
      ("Boat", "{'hp': 90} == specs", "specs.@count == 1 AND specs['hp'] == 90"),
      (
        "Boat", "mates == map('left': obj('Boat', 3), 'right': null)",
        "mates.@count == 2 AND mates['left'] == obj('Boat', 3) AND ANY mates.@keys == 'right' "
          + "AND mates['right'] == null"
      ),
      (
        "Boat", "extra == list(objKey('Boat', 1), map('k': list()))",
        "extra.@type == 'list' AND extra.@count == 2 AND extra[0] == objKey('Boat', 1) "
          + "AND extra[1] == map('k': list())"
      ),
      (
        "Boat", "trips[0].to.buoys != {}",
        "trips[0].@count == 1 AND NOT trips[0].to.buoys.@count == 0"
      ),
    ] {
      let root = try #require(Fleet.schema[className])
      let bound = try QueryPredicate(parsing: text).bound(to: Fleet.schema, root: root)
      #expect(
        try QueryPredicate(parsing: meaning).bound(to: Fleet.schema, root: root) == bound, "\(text)"
      )
    }
  }

  @Test func `contents are written as they are read`() throws {
    for text in [
      "trips == {objKey('Trip', 1), objKey('Trip', 2)}", "extra == {objKey('Trip', 1), 2}",
      "extra == list(objKey('Trip', 1))", "extra == list()", "extra == list(1, list(2), map())",
      "specs == map('a': 1, 'b': list(map('c': null)))",
      "mates == map('a': objKey('Boat', 1), 'b': null)",
      "buoys == {{'type': 'Point', 'coordinates': {1.0, 2.0}}, {:}}", "a IN {{'b': {1}}, null}",
    ] {
      let predicate = try QueryPredicate(parsing: text)
      #expect("\(predicate)" == text)
    }
    for text in [
      "a == {1, {2}}", "a == {{1}}", "a == list({1})", "a == list(b)", "a == map(1: 2)",
      "a == map('b')", "a == {'b': c}", "a == {'b': ANY {1}}", "a == list(1", "ANY {{'a': 1}} == b",
      "a == " + String(repeating: "list(", count: 30) + String(repeating: ")", count: 30),
    ] {
      #expect(throws: QueryPredicateError.self, "\(text)") { try QueryPredicate(parsing: text) }
    }
  }
}

/// The results of queries on the fleet, as scripts have them.
enum FleetQuery {
  static func result(_ block: String) throws -> String {
    let query = try ExampleQuery(block)
    return try result(query.text, query.className, query.arguments)
  }

  static func result(
    _ text: String, _ className: String = "Boat", _ arguments: [PredicateArgument] = []
  ) throws -> String {
    do {
      let keys = try keys(text, className, arguments)
      guard className == "Harbor" else { return "\(keys)" }
      return "\(keys.map { ["AAR", "BGO", "CPH"][Int($0) - 1] })"
        .replacing("\"", with: "")
    } catch let error as QueryPredicateError {
      return "\(error.kind.rawValue): \(error)"
    }
  }

  static func keys(
    _ text: String, _ className: String = "Boat", _ arguments: [PredicateArgument] = []
  ) throws -> [Int64] {
    let root = try #require(Fleet.schema[className])
    let query = try QueryText(parsing: text, arguments: arguments)
    do {
      let bound = try query.bound(to: Fleet.schema, root: root)
      return try ScanOracle(Fleet.examples).keys(className, bound)
    } catch let error as QueryPredicateError {
      throw error.found(in: text)
    }
  }
}
