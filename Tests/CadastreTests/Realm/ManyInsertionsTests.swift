import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

@testable import Cadastre

/// Long sequences of added objects, whose rows a second thread stores.
@Suite struct ManyInsertionsTests {
  /// A Realm whose transactions may use a number of threads.
  private static func realm(threads: Int) throws -> Realm {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString,
      objectTypes: [Airport.self, Location.self, Address.self])
    configuration.maximumQueryThreads = threads
    return try Realm(configuration: configuration)
  }

  private static func airport(_ number: Int) -> Airport {
    Airport(
      "A\(number)", "name \(number % 13)", "C\(number % 7)", elevation: Double(number % 900),
      longitude: Double(number % 360) - 180, latitude: Double(number % 170) - 85)
  }

  /// A line for each object.
  private static func contents(_ realm: Realm) -> [String] {
    realm.objects(Airport.self).sorted(byKeyPath: "icao").map { airport in
      "\(airport.icao) \(airport.name) \(airport.country) \(airport.elevation ?? -1) "
        + "\(airport.location?.longitude ?? 0) \(airport.alternate?.icao ?? "")"
    }
  }

  /// What a random program reads while it writes, and the store that it leaves.
  ///
  /// - Parameters:
  ///   - realm: An empty Realm.
  ///   - seed: The seed of the program.
  /// - Returns: The values that were read, in their order, and a line for each object.
  /// - Throws: The error of a commit.
  private static func run(
    _ realm: Realm, seed: UInt64
  ) throws -> (read: [String], contents: [String]) {
    var random = SeededGenerator(seed: seed)
    var read: [String] = []
    var next = 0
    for _ in 0..<3 {
      let first = next
      realm.beginWrite()
      for _ in 0..<4 {
        var last: Airport?
        for _ in 0..<Int.random(in: 1...2500, using: &random) {
          let airport = airport(next)
          airport.alternate = last
          realm.add(airport)
          last = airport
          next += 1
        }
        read.append(last?.name ?? "")
        switch Int.random(in: 0..<6, using: &random) {
        case 0: read.append("\(realm.objects(Airport.self).where { $0.elevation > 450 }.count)")
        case 1:
          let known = realm.object(ofType: Airport.self, forPrimaryKey: "A\(next / 2)")
          known?.runways = 4
          read.append(known?.name ?? "nil")
        case 2:
          if let middle = realm.object(ofType: Airport.self, forPrimaryKey: "A\(next - 1)") {
            realm.delete(middle)
          }
        case 3: last?.name = "changed"
        case 4:
          let box = try #require(
            GeoBox(
              bottomLeft: (latitude: -10, longitude: -10), topRight: (latitude: 10, longitude: 10)))
          read.append("\(realm.objects(Airport.self).where { $0.location.geoWithin(box) }.count)")
        default: read.append(realm.objects(Airport.self).last?.icao ?? "")
        }
      }
      if Bool.random(using: &random) {
        realm.cancelWrite()
        next = first
      } else {
        try realm.commitWrite()
      }
      read.append("\(realm.objects(Airport.self).count)")
    }
    return (read, contents(realm))
  }

  @Test(arguments: Seeds.usual(1...2))
  func `one and two threads read and store the same`(_ seed: UInt64) throws {
    let one = try Self.run(Self.realm(threads: 1), seed: seed)
    let two = try Self.run(Self.realm(threads: 2), seed: seed)
    #expect(one.read == two.read, "seed \(seed)")
    #expect(one.contents == two.contents, "seed \(seed)")
  }

  @Test(arguments: [1, 2]) func `spatial queries between insertions find the last row`(
    threads: Int
  ) throws {
    let realm = try Self.realm(threads: threads)
    let box = try #require(
      GeoBox(bottomLeft: (latitude: 10, longitude: 20), topRight: (latitude: 12, longitude: 22)))
    let found = realm.objects(Airport.self).where { $0.location.geoWithin(box) }
    realm.beginWrite()
    for number in 0..<20 {
      realm.add(Airport("B\(number)", "", "", elevation: nil, longitude: 0, latitude: 0))
    }
    #expect(found.isEmpty)
    for number in 1...40 {
      realm.add(Airport("C\(number)", "", "", elevation: nil, longitude: 21, latitude: 11))
      // Insertions wait from the 17th after a query on.
      if number % 20 < 4 { #expect(found.count == number, "after \(number)") }
    }
    try realm.commitWrite()
    #expect(found.count == 40)
  }

  @Test func `another primary key that exists stops the process at the commit`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try ManyInsertionsTests.realm(threads: 2)
      try realm.write {
        for number in 0..<4000 {
          realm.add(ManyInsertionsTests.airport(number == 3000 ? 17 : number))
        }
      }
    }
    let message = standardError(of: result)
    #expect(message.contains("'Airport' with an existing primary key value 'A17'"), "\(message)")
  }

  @Test func `rows are stored in their order, also the last one`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try ManyInsertionsTests.realm(threads: 2)
      try realm.write {
        for number in 0..<4000 {
          realm.add(ManyInsertionsTests.airport([3000: 17, 3999: 18][number] ?? number))
        }
      }
    }
    let message = standardError(of: result)
    #expect(message.contains("'Airport' with an existing primary key value 'A17'"), "\(message)")
  }

  @Test func `nothing is stored after SQLite has rolled back`() throws {
    let realm = try Self.realm(threads: 2)
    #expect(throws: Realm.Error.self) {
      try realm.write {
        let connection = try #require(realm.core.transaction).flush(.rows).connection
        // The next row starts the second thread.
        for number in 0..<1000 { realm.add(Self.airport(number)) }
        try connection.run("ROLLBACK")
        for number in 1000..<1500 { realm.add(Self.airport(number)) }
      }
    }
    let transaction = try realm.core.file.beginWrite()
    let count = try transaction.flush(.rows).connection.integer("SELECT count(*) FROM Airport")
    transaction.rollback()
    #expect(count == 0)
  }

  @Test func `a cancelled transaction leaves nothing`() throws {
    let realm = try Self.realm(threads: 2)
    realm.beginWrite()
    for number in 0..<3000 { realm.add(Self.airport(number == 2900 ? 17 : number)) }
    realm.cancelWrite()
    #expect(realm.objects(Airport.self).isEmpty)
    try realm.write { realm.add(Self.airport(1)) }
    #expect(Self.contents(realm).count == 1)
  }

  @Test func `a full disk fails the commit, and nothing is stored`() throws {
    let realm = try Self.realm(threads: 2)
    try realm.write { realm.add(Self.airport(0)) }
    #expect(throws: Realm.Error.self) {
      try realm.write {
        let connection = try #require(realm.core.transaction).flush(.rows).connection
        let pages = try #require(try connection.integer("PRAGMA page_count"))
        try connection.run("PRAGMA max_page_count = \(pages + 40)")
        for number in 1..<20_000 { realm.add(Self.airport(number)) }
      }
    }
    let transaction = try realm.core.file.beginWrite()
    try transaction.flush(.rows).connection.run("PRAGMA max_page_count = 1073741823")
    transaction.rollback()
    #expect(realm.objects(Airport.self).count == 1)
    try realm.write { for number in 1..<3000 { realm.add(Self.airport(number)) } }
    #expect(realm.objects(Airport.self).where { $0.elevation < 900 }.count == 3000)
  }
}
