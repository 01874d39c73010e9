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
    let members = [EmbeddedMember("type", .string("Point"))]
    let table: [(QueryPredicate, String)] = [
      (.compare(.all, marks, .greater, .int(3)), "ALL marks > 3"),
      (.compare(.none, marks, .isIn, [.int(3)]), "NONE marks IN {3}"),
      (.contains(marks, .int(3)), "ANY marks == 3"),
      (.compareCount(of: marks, .equal, .int(3)), "marks.@count == 3"),
      (.compare(Aggregate(.max, of: marks), .less, .int(3)), "marks.@max < 3"),
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
      (
        try .containsMemberwise(PropertyPath("buoys"), members),
        "SUBQUERY(buoys, $b, $b.type == 'Point').@count > 0"
      ),
      (
        try .lacksMemberwise(PropertyPath("buoys"), members),
        "buoys.@count > 0 AND SUBQUERY(buoys, $b, $b.type == 'Point').@count == 0"
      ),
    ]
    for (tree, text) in table { #expect(try QueryPredicate(parsing: text) == tree, "\(tree)") }
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
