import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastreStore

/// The objects that a change of linked objects affects, compared with a search of all rows.
@Suite struct ChangeTraceTests {
  /// Boats with random links to three harbors and to each other.
  private struct RandomLinks {
    let file: StoreFile
    let boats: [Int64]
    let harbors: [Int64]
    /// The harbor and the boat to which each boat links.
    var links: [Int64: (berth: Int64?, escort: Int64?)] = [:]

    init(_ random: inout SeededGenerator) throws {
      file = try TestStore.temporary(Boats.schema)
      let transaction = try file.beginWrite()
      harbors = try (0..<3).map {
        try transaction.insert("Harbor", object: ["code": .value(.string("\($0)"))]).rawValue
      }
      boats = try (0..<12).map {
        try transaction.insert("Boat", object: ["id": .value(.int(Int64($0)))]).rawValue
      }
      for boat in boats {
        let berth = random.oneIn(3) ? nil : random.pick(harbors)
        let escort = random.oneIn(3) ? nil : random.pick(boats)
        links[boat] = (berth, escort)
        try transaction.update(
          "Boat", boat,
          members: [
            "berth": .value(berth.map { .link(ObjectKey($0)) } ?? .null),
            "escort": .value(escort.map { .link(ObjectKey($0)) } ?? .null),
          ])
      }
      try transaction.commit()
    }

    /// Returns the boats that lead to a changed object over at most a number of links.
    func affected(_ changedBoat: Int64?, _ changedHarbor: Int64, levels: Int) -> Set<Int64> {
      func reaches(_ boat: Int64, _ levels: Int) -> Bool {
        if boat == changedBoat { return true }
        guard levels > 0, let (berth, escort) = links[boat] else { return false }
        return berth == changedHarbor || escort.map { reaches($0, levels - 1) } ?? false
      }
      return Set(boats.filter { reaches($0, levels) })
    }
  }

  @Test(arguments: Seeds.usual(1...20))
  func `a trace finds the objects that lead to changed ones`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let model = try RandomLinks(&random)
    let harbor = random.pick(model.harbors)
    let boat = random.oneIn(2) ? nil : random.pick(model.boats)
    let transaction = try model.file.beginWrite()
    try transaction.update("Harbor", harbor, members: ["depth": .value(.double(7))])
    if let boat { try transaction.update("Boat", boat, members: ["crew": .value(.int(7))]) }
    let changes = ChangeRange(try transaction.commit())
    let snapshot = try model.file.snapshot()
    for levels in 0...3 {
      let trace = ChangeTrace("Boat", levels: levels, in: snapshot.catalogue)
      let found = try trace.keys(changedBy: changes, snapshot, limit: .max)
      let expected = model.affected(boat, harbor, levels: levels)
      #expect(found == expected.sorted(), "seed \(seed), \(levels) levels")
      for key in model.boats {
        let reaches = try trace.reaches(ObjectKey(key), from: changes, snapshot)
        #expect(reaches == expected.contains(key), "seed \(seed), \(levels) levels")
      }
      // Fewer than the objects that are visited, among them those of other classes.
      if !expected.isEmpty {
        #expect(try trace.keys(changedBy: changes, snapshot, limit: expected.count - 1) == nil)
      }
    }
  }

  @Test func `changes of other classes and columns affect nothing`() throws {
    let file = try TestStore.temporary(holding: Boats.examples)
    let transaction = try file.beginWrite()
    try transaction.update("Boat", 1, members: ["crew": .value(.int(7))])
    let changes = ChangeRange(try transaction.commit())
    let snapshot = try file.snapshot()
    let layout = try #require(snapshot.catalogue.layout("Boat"))
    let crew = try #require(layout.schema["crew"].flatMap { layout.column(of: $0) })
    func keys(_ trace: ChangeTrace) throws -> [Int64]? {
      try trace.keys(changedBy: changes, snapshot, limit: 0)
    }
    #expect(try keys(ChangeTrace("Harbor", columns: [0, 1, 2])) == [])
    #expect(try keys(ChangeTrace("Boat", columns: [crew + 1])) == [])
    #expect(try keys(ChangeTrace("Boat", columns: [crew])) == nil)
    #expect(
      try ChangeTrace("Boat", columns: [crew]).keys(changedBy: changes, snapshot, limit: 1) == [1])
  }
}
