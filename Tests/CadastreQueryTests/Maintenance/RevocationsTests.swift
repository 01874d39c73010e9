import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastreQuery
@testable import CadastreStore

/// Which instances are invalidated although rows with their keys exist.
///
/// The tests speak of instances and transactions only; `Reader` expresses them by generations.
@Suite struct RevocationsTests {
  /// An instance of an object with a row, or of an embedded one in the row.
  private struct Instance {
    let className: String
    let key: Int64
    /// The column that has the generation of an embedded object; nil for the object itself.
    var member: Int?
    fileprivate let birth: UInt64
  }

  /// A reader of a store, whose transactions are rolled back.
  private struct Reader {
    private let revocations = Revocations()
    private var generation: UInt64 = 1
    private var start: UInt64 = 1

    /// Returns an instance that is made now.
    func instance(_ className: String, _ key: Int64, member: Int? = nil) -> Instance {
      Instance(className: className, key: key, member: member, birth: generation)
    }

    func isInvalidated(_ instance: Instance) -> Bool {
      guard instance.birth < revocations.newest else { return false }
      let key = ObjectKey(instance.key)
      if revocations.of(instance.className).contains(key, since: instance.birth) { return true }
      guard let member = instance.member else { return false }
      return revocations.of(instance.className).contains(
        key, member: member, since: instance.birth)
    }

    mutating func begin() { start = generation }

    /// A change, after which new instances are younger.
    mutating func write() { generation += 1 }

    /// Rolls the transaction back.
    ///
    /// - Parameters:
    ///   - className: The class whose rows it changed.
    ///   - inserted: The keys of new rows.
    ///   - deleted: The keys of deleted rows.
    ///   - members: The rows with the columns that were changed.
    ///   - generations: The columns of the class with generations of embedded objects.
    mutating func rollBack(
      _ className: String, inserted: Range<Int64> = 0..<0, deleted: Set<Int64> = [],
      members: [(key: Int64, column: Int)] = [], generations: [Int] = []
    ) {
      generation += 1
      var changes = ClassChanges(inserted: inserted)
      changes.deleted = deleted
      for (key, column) in members { changes.modified.insert([column], of: key) }
      var set = ChangeSet(from: 1, to: 2)
      set.classes[className] = changes
      revocations.revoke(set, since: start, at: generation) { $0 == className ? generations : [] }
    }

    /// Invalidates all instances.
    mutating func invalidate() {
      generation += 1
      revocations.revokeAll(at: generation)
    }
  }

  @Test func `instances of rows that a rolled-back transaction inserted stay invalidated`() {
    var reader = Reader()
    reader.begin()
    let before = reader.instance("Boat", 4)
    let other = reader.instance("Harbor", 5)
    reader.write()
    let (first, last) = (reader.instance("Boat", 5), reader.instance("Boat", 6))
    #expect(!reader.isInvalidated(first))
    reader.rollBack("Boat", inserted: 5..<7)
    #expect(reader.isInvalidated(first) && reader.isInvalidated(last))
    #expect(!reader.isInvalidated(before) && !reader.isInvalidated(other))
    // A later row may get the key.
    let next = reader.instance("Boat", 5)
    reader.write()
    #expect(!reader.isInvalidated(next) && reader.isInvalidated(first))
    reader.begin()
    reader.rollBack("Boat", inserted: 6..<7)
    #expect(
      !reader.isInvalidated(next) && reader.isInvalidated(first) && reader.isInvalidated(last))
  }

  @Test func `instances of rows that a rolled-back transaction deleted stay invalidated`() {
    var reader = Reader()
    let (deleted, kept) = (reader.instance("Boat", 2), reader.instance("Boat", 3))
    reader.begin()
    reader.write()
    reader.rollBack("Boat", deleted: [2])
    #expect(reader.isInvalidated(deleted) && !reader.isInvalidated(kept))
    #expect(!reader.isInvalidated(reader.instance("Boat", 2)))
    reader.write()
    reader.begin()
    reader.rollBack("Boat", deleted: [3])
    #expect(reader.isInvalidated(deleted) && reader.isInvalidated(kept))
  }

  @Test func `embedded objects that a rolled-back transaction replaced stay invalidated`() {
    var reader = Reader()
    let replaced = reader.instance("Boat", 2, member: 7)
    let beside = reader.instance("Boat", 2, member: 9)
    let elsewhere = reader.instance("Boat", 3, member: 7)
    let owner = reader.instance("Boat", 2)
    reader.begin()
    reader.write()
    // Column 4 is a value, column 9 has the generation of an object that was not replaced.
    reader.rollBack("Boat", members: [(2, 7), (2, 4), (3, 4)], generations: [7, 9])
    #expect(reader.isInvalidated(replaced))
    #expect(![beside, elsewhere, owner].contains(where: reader.isInvalidated))
    #expect(!reader.isInvalidated(reader.instance("Boat", 2, member: 7)))
  }

  @Test func `invalidation concerns all instances of before, in all classes`() {
    var reader = Reader()
    let old = [
      reader.instance("Boat", 1), reader.instance("Harbor", 9),
      reader.instance("Boat", 1, member: 3),
    ]
    reader.invalidate()
    let new = reader.instance("Boat", 1)
    #expect(old.allSatisfy(reader.isInvalidated) && !reader.isInvalidated(new))
    reader.begin()
    reader.write()
    reader.rollBack("Boat", deleted: [1])
    #expect(old.allSatisfy(reader.isInvalidated) && reader.isInvalidated(new))
  }

  @Test func `a transaction without changes invalidates nothing`() {
    var reader = Reader()
    let instance = reader.instance("Boat", 1)
    reader.begin()
    reader.rollBack("Boat")
    #expect(!reader.isInvalidated(instance))
  }

  @Test(arguments: Seeds.usual(1...20))
  func `random transactions agree with a log of each instance`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var reader = Reader()
    // Keys below `next` have rows.
    var next: Int64 = 10
    var instances: [(instance: Instance, isInvalidated: Bool)] = []
    for step in 0..<60 {
      for _ in 0..<3 {
        let key = Int64(random.below(Int(next)))
        instances.append((reader.instance("Boat", key), false))
        instances.append((reader.instance("Boat", key, member: random.below(2)), false))
      }
      if random.oneIn(12) {
        reader.invalidate()
        for index in instances.indices { instances[index].isInvalidated = true }
      }
      reader.begin()
      reader.write()
      let inserted = next..<next + Int64(random.below(3))
      for key in inserted { instances.append((reader.instance("Boat", key), false)) }
      if random.oneIn(3) {
        // A commit.
        next = inserted.upperBound
        continue
      }
      let deleted = Set((0..<random.below(3)).map { _ in Int64(random.below(Int(next))) })
      let members = (0..<random.below(3)).map { _ in
        (key: Int64(random.below(Int(next))), column: random.below(2))
      }.filter { !deleted.contains($0.key) }
      reader.rollBack(
        "Boat", inserted: inserted, deleted: deleted, members: members, generations: [0, 1])
      for index in instances.indices {
        let instance = instances[index].instance
        let isReplaced = members.contains {
          $0.key == instance.key && $0.column == instance.member
        }
        if inserted.contains(instance.key) || deleted.contains(instance.key) || isReplaced {
          instances[index].isInvalidated = true
        }
      }
      let found = instances.map { reader.isInvalidated($0.instance) }
      #expect(found == instances.map(\.isInvalidated), "seed \(seed), step \(step)")
    }
  }
}
