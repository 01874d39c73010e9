import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

@Suite struct ExternalSortTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// A record whose number is the order in which it was appended.
  private struct Numbered: SortableRecord, Equatable {
    let sortKey: UInt64
    let number: Int
  }

  private func records(_ count: Int, seed: UInt64) -> [Numbered] {
    var random = SeededGenerator(seed: seed)
    // Keys repeat, and differ in low and in high bytes.
    return (0..<count).map { number in
      let key = random.oneIn(2) ? UInt64(random.below(20)) : random.next()
      return Numbered(sortKey: random.oneIn(50) ? .max : key, number: number)
    }
  }

  /// The order that a stable sort gives.
  private func sorted(_ records: [Numbered]) -> [Numbered] {
    records.sorted { ($0.sortKey, $0.number) < ($1.sortKey, $1.number) }
  }

  @Test(arguments: Seeds.usual(1...6))
  func `a radix sort is stable`(seed: UInt64) {
    for count in [0, 1, 2, 300, 5000] {
      let unsorted = records(count, seed: seed)
      var result = unsorted
      RadixSort.sort(records: &result)
      #expect(result == sorted(unsorted), "seed \(seed), \(count)")
    }
  }

  @Test(arguments: Seeds.usual(1...6), [1, 2, 100, 4999, 5000, 5001])
  func `runs in a file give the order of a sort in memory`(seed: UInt64, capacity: Int) throws {
    let unsorted = records(5000, seed: seed)
    let sort = ExternalSort<Numbered>(for: folder.file("store"), capacity: capacity)
    for record in unsorted { try sort.append(record) }
    #expect(sort.count == 5000)
    let sample = try sort.sample(50)
    #expect(sample.count == 50 && sample.allSatisfy { $0 == unsorted[$0.number] })
    #expect(Set(sample.map(\.number)).count == 50)
    var appended: [Numbered] = []
    try sort.forEach { appended.append($0) }
    #expect(appended.sorted { $0.number < $1.number } == unsorted)
    if capacity >= 5000 { #expect(appended == unsorted) }
    for _ in 0..<2 {
      var result: [Numbered] = []
      try sort.forEachSorted { result.append($0) }
      #expect(result == sorted(unsorted), "seed \(seed), capacity \(capacity)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func `a folder that is missing is an error that names the store`() throws {
    let path = folder.file("missing/store")
    let sort = ExternalSort<Numbered>(for: path, capacity: 1)
    try sort.append(Numbered(sortKey: 1, number: 0))
    #expect(throws: StoreError(.fileNotFound, path: path)) {
      try sort.append(Numbered(sortKey: 1, number: 1))
    }
  }
}
