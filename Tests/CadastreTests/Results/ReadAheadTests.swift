import Cadastre
import Foundation
import Testing

/// Rows that were read ahead are those of now.
@Suite struct ReadAheadTests {
  private func realm(_ count: Int) throws -> Realm {
    let realm = try makeRealm()
    try realm.write {
      for number in 0..<count {
        realm.add(
          Airport(
            "A\(number)", "name \(number)", "FR", elevation: Double(number), longitude: 0,
            latitude: 0))
      }
    }
    return realm
  }

  @Test func `a loop reads each object once and right`() throws {
    let realm = try realm(1000)
    for (number, airport) in realm.objects(Airport.self).enumerated() {
      #expect(airport.name == "name \(number)" && airport.elevation == Double(number))
    }
  }

  @Test func `a loop that writes sees what it wrote`() throws {
    let realm = try realm(500)
    let airports = realm.objects(Airport.self)
    try realm.write {
      for (number, airport) in airports.enumerated() {
        if number + 1 < 500 { airports[number + 1].name = "changed \(number + 1)" }
        #expect(airport.name == (number == 0 ? "name 0" : "changed \(number)"))
      }
    }
    for (number, airport) in airports.enumerated() where number > 0 {
      #expect(airport.name == "changed \(number)")
    }
  }

  @Test func `deletions are seen during a loop, and undone by cancelWrite`() throws {
    let realm = try realm(300)
    let airports = Array(realm.objects(Airport.self))
    realm.beginWrite()
    for (number, airport) in airports.enumerated() where number % 3 == 0 { realm.delete(airport) }
    for (number, airport) in airports.enumerated() {
      #expect(airport.isInvalidated == (number % 3 == 0))
    }
    realm.cancelWrite()
    for (number, airport) in realm.objects(Airport.self).enumerated() {
      #expect(airport.name == "name \(number)")
    }
  }

  @Test func `rows with gaps between their keys are found`() throws {
    let realm = try realm(400)
    try realm.write {
      for (number, airport) in Array(realm.objects(Airport.self)).enumerated()
      where number % 5 != 0 && number % 7 != 0 { realm.delete(airport) }
    }
    let expected = (0..<400).filter { $0 % 5 == 0 || $0 % 7 == 0 }.map { "name \($0)" }
    #expect(realm.objects(Airport.self).map(\.name) == expected)
    #expect(realm.objects(Airport.self).reversed().map(\.name) == expected.reversed())
  }
}
