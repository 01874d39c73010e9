import CadastreTestSupport
import Testing

@testable import CadastreStore

/// Commits on rows in memory: the change set of each, and the rows at each version.
private struct ModelCommits {
  /// A row exists from its insertion to its deletion.
  private(set) var rows: [Set<Int64>] = [[]]
  /// The cells that each commit changed in rows that existed before it.
  private(set) var cells: [[Int64: Set<Int>]] = []
  private(set) var sets: [ChangeSet] = []

  init(_ count: Int, _ random: inout SeededGenerator) {
    var next: Int64 = 1
    for version in 0..<count {
      var now = rows[version]
      var changed: [Int64: Set<Int>] = [:]
      var set = ChangeSet(from: Int64(version), to: Int64(version) + 1)
      // Rolled-back transactions leave gaps in the keys.
      if random.oneIn(4) { next += 3 }
      var changes = ClassChanges(inserted: next..<next)
      for _ in 0..<random.below(6) {
        switch random.below(4) {
        case 0 where !now.isEmpty:
          let key = random.pick(now.sorted())
          now.remove(key)
          changed[key] = nil
          changes.deleted.insert(key)
          changes.modified.remove(key)
        case 1 where !rows[version].intersection(now).isEmpty:
          let key = random.pick(rows[version].intersection(now).sorted())
          let column = random.below(3)
          changed[key, default: []].insert(column)
          changes.modified.insert(column, of: key)
        default:
          now.insert(next)
          next += 1
          changes.inserted = changes.inserted.lowerBound..<next
        }
      }
      if !changes.isEmpty { set.classes["Thing"] = changes }
      set.changesSchema = random.oneIn(20)
      rows.append(now)
      cells.append(changed)
      sets.append(set)
    }
  }

  /// Returns the columns that the commits between two versions changed in rows that exist at both.
  func modified(_ first: Int, _ last: Int) -> [Int64: Set<Int>] {
    var all: [Int64: Set<Int>] = [:]
    for commit in cells[first..<last] { all.merge(commit) { $0.union($1) } }
    return all.filter { rows[first].contains($0.key) && rows[last].contains($0.key) }
  }
}

/// Ranges of changes, merged from hand-made commits and compared with rows in memory.
@Suite struct ChangeRangeTests {
  @Test(arguments: Seeds.usual(1...40))
  func `a merged range leads from the first version to the last one`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = 8
    let model = ModelCommits(count, &random)
    let ranges = model.sets.map { ChangeRange($0) }
    for first in 0..<count {
      for last in first + 1...count {
        let merged = try #require(ChangeRange.merged(Array(ranges[first..<last])))
        #expect((merged.base, merged.version) == (Int64(first), Int64(last)))
        let changes = merged.classes["Thing"] ?? ClassChanges(inserted: 0..<0)
        let (old, new) = (model.rows[first], model.rows[last])
        #expect(changes.deleted.intersection(old) == old.subtracting(new), "seed \(seed)")
        #expect(changes.deleted.isDisjoint(with: new), "seed \(seed)")
        #expect(new.subtracting(old).allSatisfy(changes.inserted.contains), "seed \(seed)")
        #expect(!old.contains(where: changes.inserted.contains), "seed \(seed)")
        let modified = Dictionary(
          uniqueKeysWithValues: changes.modified.map { ($0.key, Set($0.columns)) })
        #expect(modified == model.modified(first, last), "seed \(seed), \(first) to \(last)")
        #expect(merged.rowCount == changes.deleted.count + modified.count, "seed \(seed)")
        #expect(merged.touchedCount == merged.rowCount + changes.inserted.count, "seed \(seed)")
        #expect(merged.changesSchema == model.sets[first..<last].contains { $0.changesSchema })
      }
    }
    // Merging has changed none of the ranges of single commits.
    for (range, set) in zip(ranges, model.sets) { #expect(range.classes == set.classes) }
  }

  @Test(arguments: Seeds.usual(1...20))
  func `ranges can be merged in parts`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let ranges = ModelCommits(6, &random).sets.map { ChangeRange($0) }
    let all = try #require(ChangeRange.merged(ranges))
    for split in 1..<ranges.count {
      let left = try #require(ChangeRange.merged(Array(ranges[..<split])))
      let right = try #require(ChangeRange.merged(Array(ranges[split...])))
      let merged = try #require(ChangeRange.merged([left, right]))
      #expect(merged.classes == all.classes && merged.version == all.version, "seed \(seed)")
    }
  }

  @Test func `the only range of a chain is returned by reference`() {
    let range = ChangeRange(ChangeSet(from: 3, to: 4))
    #expect(ChangeRange.merged([range]) === range)
    #expect(ChangeRange.merged([]) == nil)
  }

  @Test func `the changes of a transaction follow those of the commits`() throws {
    var committed = ChangeSet(from: 3, to: 5)
    committed.classes["Thing"] = ClassChanges(
      inserted: 7..<9, deleted: [1], modified: [2: [0], 3: [1]])
    var own = ChangeSet(from: 5, to: 6)
    own.classes["Thing"] = ClassChanges(inserted: 9..<10, deleted: [3, 8], modified: [2: [1]])
    own.classes["Other"] = ClassChanges(inserted: 1..<2)
    let range = ChangeRange(committed)
    let both = range.followed(by: own)
    #expect((both.base, both.version) == (3, 6))
    #expect(
      both.classes["Thing"]
        == ClassChanges(inserted: 7..<10, deleted: [1, 3, 8], modified: [2: [0, 1]]))
    #expect(both.classes["Other"] == ClassChanges(inserted: 1..<2))
    #expect(range.classes == committed.classes)
    #expect(range.followed(by: ChangeSet(from: 5, to: 6)) === range)
    let alone = ChangeRange(ChangeSet(from: 5, to: 5)).followed(by: own)
    #expect(alone.classes == own.classes && (alone.base, alone.version) == (5, 6))
    own.changesSchema = true
    #expect(range.followed(by: own).changesSchema)
  }
}

/// The ranges that a Realm has in use.
@Suite struct RecentChangesTests {
  /// The calls of the closure.
  private final class Reads {
    var bases: [Int64] = []

    func range(_ base: Int64, _ version: Int64) -> ChangeRange? {
      bases.append(base)
      return base < 0 ? nil : ChangeRange(ChangeSet(from: base, to: version))
    }
  }

  @Test func `callers with the same versions receive the same range`() {
    let reads = Reads()
    var recent = RecentChanges()
    let first = recent.range(after: 1, through: 5, reads.range)
    let other = recent.range(after: 2, through: 5, reads.range)
    #expect(first?.base == 1 && other?.base == 2)
    #expect(recent.range(after: 1, through: 5, reads.range) === first)
    #expect(recent.range(after: 2, through: 5, reads.range) === other)
    #expect(first !== other && reads.bases == [1, 2])
    // A gap is not searched again either.
    #expect(recent.range(after: -1, through: 5, reads.range) == nil)
    #expect(recent.range(after: -1, through: 5, reads.range) == nil)
    #expect(reads.bases == [1, 2, -1])
  }

  @Test func `a move replaces the ranges`() {
    let reads = Reads()
    var recent = RecentChanges()
    _ = recent.range(after: 1, through: 5, reads.range)
    let range = ChangeRange(ChangeSet(from: 5, to: 7))
    recent.replace(with: range, after: 5, through: 7)
    #expect(recent.range(after: 5, through: 7, reads.range) === range)
    #expect(reads.bases == [1])
    #expect(recent.range(after: 1, through: 7, reads.range)?.version == 7)
    recent.replace(with: nil, after: 7, through: 8)
    #expect(recent.range(after: 7, through: 8, reads.range) == nil)
    #expect(reads.bases == [1, 1])
    // A commit of the Realm itself moves it without a call of `replace`.
    #expect(recent.range(after: 7, through: 9, reads.range)?.version == 9)
    #expect(reads.bases == [1, 1, 7])
  }

  @Test func `the number of ranges is bounded`() {
    let reads = Reads()
    var recent = RecentChanges()
    let bases = (1...Int64(RecentChanges.capacity) + 1).map { $0 }
    for base in bases { _ = recent.range(after: base, through: 9, reads.range) }
    _ = recent.range(after: bases[1], through: 9, reads.range)
    #expect(reads.bases == bases)
    // The oldest one was discarded.
    _ = recent.range(after: bases[0], through: 9, reads.range)
    #expect(reads.bases == bases + [bases[0]])
  }
}

/// Changes by class, compared with a dictionary.
@Suite struct ChangesByClassTests {
  @Test(arguments: Seeds.usual(1...10))
  func `classes are those of a dictionary`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let names = ["Boat", "Harbor", "A class with a name that is longer than sixteen bytes"]
    var classes = ChangesByClass()
    var expected: [String: ClassChanges] = [:]
    for step in 0..<60 {
      let name = random.pick(names)
      let first = Int64(random.below(9))
      let changes = random.oneIn(3) ? nil : ClassChanges(inserted: first..<first + 2)
      classes[name] = changes
      expected[name] = changes
      for name in names { #expect(classes[name] == expected[name], "seed \(seed), step \(step)") }
      #expect(classes.names.sorted() == expected.keys.sorted(), "seed \(seed), step \(step)")
      #expect(classes.isEmpty == expected.isEmpty)
      let listed = Dictionary(uniqueKeysWithValues: classes.map { ($0.className, $0.changes) })
      #expect(listed == expected, "seed \(seed), step \(step)")
      // The order in which classes were added makes no difference.
      var reversed = ChangesByClass()
      for name in classes.names.reversed() { reversed[name] = expected[name] }
      #expect(reversed == classes && reversed.hashValue == classes.hashValue)
    }
    classes["Other"] = ClassChanges(inserted: 1..<2)
    #expect(classes["Other"]?.inserted == 1..<2)
  }
}
