import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastrePredicate

/// Parts of dates, the present, and calculations with dates, as text.
@Suite struct DatePredicateTests {
  private func bound(_ text: String, _ arguments: [PredicateArgument] = []) throws -> BoundPredicate
  {
    try QueryPredicate(parsing: text, arguments: arguments)
      .bound(to: Fleet.schema, root: #require(Fleet.schema["Boat"]))
  }

  @Test(arguments: [
    ("year(built) == 2013", "built >= T1356998400:0 AND built < T1388534400:0"),
    ("built.year == 2013.0", "built >= T1356998400:0 AND built < T1388534400:0"),
    ("2013 == YEAR(built)", "built >= T1356998400:0 AND built < T1388534400:0"),
    ("year(built) != 2013", "NOT (built >= T1356998400:0 AND built < T1388534400:0)"),
    ("NOT year(built) != 2013", "built >= T1356998400:0 AND built < T1388534400:0"),
    ("year(built) < 2013", "built < T1356998400:0"),
    ("year(built) <= 2013", "built < T1388534400:0"),
    ("year(built) > 2013", "built >= T1388534400:0"),
    ("2013 <= year(built)", "built >= T1356998400:0"),
    ("year(built) > 2012.5", "built >= T1356998400:0"),
    ("year(built) < 2012.5", "built < T1356998400:0"),
    ("year(built) == 2012.5", "FALSEPREDICATE"),
    ("year(built) == decimal(2013)", "built >= T1356998400:0 AND built < T1388534400:0"),
    ("year(built) BETWEEN {2013, 2014}", "built >= T1356998400:0 AND built < T1420070400:0"),
    (
      "year(built) IN {2013, null}",
      "(built >= T1356998400:0 AND built < T1388534400:0) OR built == null"
    ),
    (
      "ANY {2013, 2014} == year(built)",
      "(built >= T1356998400:0 AND built < T1388534400:0) OR "
        + "(built >= T1388534400:0 AND built < T1420070400:0)"
    ),
    ("year(built) == null", "built == null"),
    ("year(built) < null", "FALSEPREDICATE"),
    ("year(escort.built) == 1970", "escort.built >= T0:0 AND escort.built < T31536000:0"),
    ("year(built) == 200000000", "built.year == 200000000"),
    ("year(built) > decimal(2012.5)", "built >= T1356998400:0"),
    ("month(built) == 5", "built.month == 5"),
    ("year(specs) == 2013", "year(specs.@values) == 2013"),
    ("year(extra[*]) == 2013", "year(extra[*]) == 2013"),
    ("year(extra) == null", "year(extra) == null"),
    ("MONTH(escort.extra.k) IN {1, 2}", "month(escort.extra.k) IN {1, 2}"),
    ("extra.year == 2013", "ANY extra.year == 2013"),
    (
      "SUBQUERY(mates, $m, year($m.built) > $m.crew).@count > 0",
      "SUBQUERY(mates, $x, $x.built.year > $x.crew).@count > 0"
    ),
    ("built.hour IN {1, 2}", "built.hour IN {1, 2}"),
    ("year(built) == crew", "built.year == crew"),
    ("month(built) + 1 == crew", "built.month + 1 == crew"),
    ("built - 86400 > T0:0", "built - 86400 > T0:0"),
    ("built - T0:0 > 86400", "built - T0:0 > 86400"),
    ("built > T10:0 - 2.5", "built > T7:500000000"),
    ("built == 60 + T0:0", "built == T60:0"),
  ]) func `a comparison is bound as`(text: String, expected: String) throws {
    let bound = try bound(text)
    #expect("\(bound)" == expected, "\(text)")
    #expect(try self.bound(expected) == bound, "binding again")
    let named = try QueryPredicate(parsing: text)
    #expect(try QueryPredicate(parsing: "\(named)") == named, "\(named)")
  }

  @Test func `a decimal that no double equals is compared with the year itself`() throws {
    #expect(try bound("year(built) > decimal(2000.9999999999999999999999)").isOfMeasure)
    #expect(try bound("year(built) == decimal(2001.0000000000000000000001)").isOfMeasure)
    let matching = { text in
      try ScanOracle(Fleet.examples).matching("Boat", bound(text))
    }
    #expect(try matching("year(built) > decimal(2000.9999999999999999999999)") == [1, 4])
    #expect(try matching("year(built) == decimal(2001.0000000000000000000001)") == [])
    #expect(try matching("year(built) >= decimal(1969.0000000000000000000001)") == [1, 4, 5])
  }

  @Test func `now is the time of binding, the same in all parts`() throws {
    let text =
      "built > now() - 86400 AND SUBQUERY(boats, $x, $x.built < now()).@count > 0 OR built == now()"
    let named = try QueryPredicate(parsing: text)
    #expect("\(named)".contains("now() - 86400") && named.readsClock)
    #expect(try QueryPredicate(parsing: "\(named)") == named)
    #expect(try !QueryPredicate(parsing: "built > T0:0").readsClock)
    let related = "GEOINTERSECTS ANY Harbor.site WHERE (boats.built > now() OR depth > 1)"
    #expect(try QueryPredicate(parsing: "berth.site \(related)").readsClock)
    #expect(
      try QueryPredicate(
        parsing: "SUBQUERY(trips, $t, $t.to.site \(related)).@count > 0"
      ).readsClock)
    let before = Date()
    let bound = try QueryPredicate(
      parsing: "built >= now() AND built - now() < 5 OR built == now()"
    )
    .bound(to: Fleet.schema, root: #require(Fleet.schema["Boat"]))
    let after = Date()
    var times: Set<Timestamp> = []
    bound.forEachLeaf { leaf in
      guard case .comparison(let comparison) = leaf else { return }
      comparison.forEachOperand { operand in
        if case .value(.date(let date)) = operand { times.insert(date) }
      }
    }
    #expect(times.count == 1)
    for time in times { #expect(time >= Timestamp(before) && time <= Timestamp(after)) }
  }

  @Test(arguments: [
    "built > now() AND crew > $0",
    "berth.site GEOINTERSECTS ANY Harbor.site WHERE (boats.built > now()) AND crew > $0",
  ]) func `a text with now is bound to a new time for each use`(text: String) throws {
    let schema = Fleet.schema
    let root = try #require(schema["Boat"])
    func time() throws -> Value {
      let predicate = try schema.boundPredicates.bound(
        parsing: text, arguments: [.value(.int(1))], to: "Boat"
      ) { (predicate) throws(QueryPredicateError) in try predicate.bound(to: schema, root: root) }
      var first = predicate.conjuncts[0]
      if case .relation(let relation) = first, case .objects(let objects) = relation.right {
        first = objects.predicate
      }
      guard case .comparison(let comparison) = first, case .value(let value) = comparison.right
      else { return .null }
      return value
    }
    let first = try time()
    let start = Date()
    while Date() == start {}
    let second = try time()
    #expect(second.ordering(first) == .descending, "\(first), \(second)")
  }

  @Test func `an argument beside a year is one of the year`() throws {
    let schema = Fleet.schema
    let root = try #require(schema["Boat"])
    func bound(_ argument: Value) throws -> String {
      let predicate = try schema.boundPredicates.bound(
        parsing: "year(built) < $0", arguments: [.value(argument)], to: "Boat"
      ) { (predicate) throws(QueryPredicateError) in try predicate.bound(to: schema, root: root) }
      return "\(predicate)"
    }
    for _ in 0..<3 {
      #expect(try bound(.int(2013)) == "built < T1356998400:0")
      #expect(try bound(.int(1970)) == "built < T0:0")
      #expect(throws: QueryPredicateError.self) { try bound(.date(Timestamp(seconds: 5))) }
    }
  }

  @Test(arguments: [
    ("year(name) == 3", "'name' is of type 'string'"),
    ("year(marks) == 3", "year(…) needs a date, and 'marks' is of type 'list of int'"),
    ("year(berth) == 3", "year(…) needs a date, and 'berth' is of type 'Harbor'"),
    ("year(trips.@count) == 3", "year(…) needs a date, and 'trips.@count' is of type 'int'"),
    ("built.yaer == 3", "'built' is a date and has no part 'yaer'; did you mean 'year'?"),
    ("built.weekday == 3", "'built' is a date and has no part 'weekday'"),
    ("year(now()) == 3", "expected ')'"),
    ("year(trips.@max.miles) == 3", "expected a property with a date in year(…)"),
    ("year(built) == 'x'", "Cannot compare value 'x'"),
    ("year(extra) == 'x'", "Cannot compare value 'x'"),
    ("yaer(built) == 3", "unknown function 'yaer'; did you mean 'year'?"),
    ("now(built) == 3", "expected ')'"),
    ("built * 2 > now()", "'*' works on numbers; a date is subtracted from a date"),
    ("built + built > now()", "'+' works on numbers; a date is subtracted from a date"),
    ("5 - built > 3", "'-' works on numbers; a date is subtracted from a date"),
    ("built - 5 > 3", "Cannot compare value '3' of type 'int' to a calculation of type 'date'"),
    ("now() > T0:0", "found two constants"),
    ("crew > now()", "Cannot compare value"),
    ("built IN {now()}", "a list holds constants only"),
  ]) func `a mistake is named`(text: String, message: String) {
    let error = #expect(throws: QueryPredicateError.self, "\(text)") { try bound(text) }
    #expect(error?.message.contains(message) == true, "\(text): \(error?.message ?? "")")
  }
}

extension BoundPredicate {
  /// Whether the predicate compares a part of a date.
  fileprivate var isOfMeasure: Bool {
    guard case .comparison(let comparison) = self, case .elements(_, let path) = comparison.left
    else { return false }
    return path.measured != nil
  }
}
