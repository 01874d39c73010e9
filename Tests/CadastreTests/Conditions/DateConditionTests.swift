@testable import Cadastre
import CadastreTestSupport
import Foundation
import Testing

/// Parts of dates in conditions, orders and values, compared with the calendar of Foundation.
@Suite struct DateConditionTests {
  final class Meeting: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var opened: Date
    @Persisted(indexed: true) var closed: Date?
    @Persisted var month = 0
    @Persisted var days: List<Date>
    @Persisted var visits: Map<String, Date>
    @Persisted var next: Meeting?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private static let calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  private let checks: ConditionChecks<Meeting>

  init() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Meeting.self]))
    var random = SeededGenerator(seed: 31)
    func date() -> Date { Date(timeIntervalSince1970: random.number(9e8...1.5e9)) }
    try realm.write {
      for id in 0..<100 {
        let meeting = Meeting()
        meeting.id = id
        meeting.opened = date()
        meeting.closed = random.oneIn(5) ? nil : date()
        meeting.month = 1 + random.below(12)
        for _ in 0..<random.below(3) { meeting.days.append(date()) }
        // A key that is the name of a part.
        meeting.visits["year"] = meeting.opened
        if let closed = meeting.closed { meeting.visits["closed"] = closed }
        meeting.next = realm.objects(Meeting.self).last
        realm.add(meeting)
      }
    }
    checks = ConditionChecks(realm: realm)
  }

  private func part(_ component: Calendar.Component, _ date: Date?) -> Int? {
    date.map { Self.calendar.component(component, from: $0) }
  }

  @Test func `parts in conditions`() throws {
    try checks.expect("year(opened) == 2005", matches: { part(.year, $0.opened) == 2005 }) {
      $0.opened.year == 2005
    }
    try checks.expect("year(closed) != 2005", matches: { part(.year, $0.closed) != 2005 }) {
      $0.closed.year != 2005
    }
    try checks.expect("closed.year < 2005", matches: { (part(.year, $0.closed) ?? 9999) < 2005 }) {
      $0.closed.year < 2005
    }
    try checks.expect(
      "year(closed) BETWEEN {2003, 2006}",
      matches: { part(.year, $0.closed).map { (2003...2006).contains($0) } ?? false }
    ) { $0.closed.year.contains(2003...2006) }
    try checks.expect(
      "month(closed) IN {6, 7}", matches: { [6, 7].contains(part(.month, $0.closed)) }
    ) { $0.closed.month.in([6, 7]) }
    try checks.expect(
      "month(closed) == month", matches: { part(.month, $0.closed) == $0.month }
    ) { $0.closed.month == $0.month }
    try checks.expect("day(opened) > 20", matches: { (part(.day, $0.opened) ?? 0) > 20 }) {
      $0.opened.day > 20
    }
    try checks.expect(
      "next.opened.hour == 5", matches: { part(.hour, $0.next?.opened) == 5 }
    ) { $0.next.opened.hour == 5 }
    try checks.expect(
      "ANY days.minute < 9", matches: { $0.days.contains { (part(.minute, $0) ?? 60) < 9 } }
    ) { $0.days.minute < 9 }
    try checks.expect(
      "year(visits) == 2005", matches: { $0.visits.values.contains { part(.year, $0) == 2005 } }
    ) { $0.visits.year == 2005 }
    try checks.expect(
      "minute(days) < 9", matches: { $0.days.contains { (part(.minute, $0) ?? 60) < 9 } }
    ) { $0.days.minute < 9 }
    try checks.expect("opened.second == 30", matches: { part(.second, $0.opened) == 30 }) {
      $0.opened.second == 30
    }
  }

  @Test func `parts order, group and are values`() throws {
    let meetings = checks.realm.objects(Meeting.self)
    let sorted = meetings.sorted(byKeyPath: "opened.month").map { part(.month, $0.opened) ?? 0 }
    #expect(Array(sorted) == sorted.sorted() && sorted.count == 100)
    let first = try #require(meetings.first)
    #expect(first.value(forKeyPath: "opened.year") as? Int == part(.year, first.opened))
  }

  @Test func `a live result keeps the time at which it was made`() throws {
    let realm = checks.realm
    let recent = realm.objects(Meeting.self).filter("opened > now() - 3600")
    #expect(recent.isEmpty)
    try realm.write { checks.objects[3].opened = Date(timeIntervalSinceNow: -60) }
    #expect(recent.map(\.id) == [3])
    try realm.write { checks.objects[3].opened = Date(timeIntervalSinceNow: -7200) }
    #expect(recent.isEmpty)
    let inFuture = realm.objects(Meeting.self).filter("opened >= now() + 86400")
    try realm.write { checks.objects[4].opened = Date(timeIntervalSinceNow: 100_000) }
    #expect(inFuture.map(\.id) == [4])
  }

  @Test func `a live result follows the year`() throws {
    let realm = checks.realm
    let found = realm.objects(Meeting.self).where { $0.closed.year == 2010 && $0.opened.month > 3 }
    var random = SeededGenerator(seed: 32)
    for _ in 0..<30 {
      try realm.write {
        let meeting = random.pick(checks.objects)
        meeting.closed =
          random.oneIn(3) ? nil : Date(timeIntervalSince1970: random.number(1.25e9...1.3e9))
        meeting.opened = Date(timeIntervalSince1970: random.number(9e8...1.5e9))
      }
      let expected = checks.objects.filter {
        part(.year, $0.closed) == 2010 && (part(.month, $0.opened) ?? 0) > 3
      }
      #expect(found.map(\.id) == expected.map(\.id))
    }
  }
}
