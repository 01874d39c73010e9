import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import Testing
@testable import CadastreQuery

@testable import CadastreStore

/// Live queries of a reader that moves from version to version, compared with a model in plain Swift.
@Suite struct LiveQueryTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Tug",
      properties: [
        Property(name: "id", type: .int, isPrimaryKey: true),
        Property(name: "crew", type: .int, isIndexed: true),
        Property(name: "draft", type: .double, isOptional: true),
        Property(name: "note", type: .int),
        Property(name: "escort", type: .object, isOptional: true, objectClassName: "Tug"),
      ])
  ])

  /// A row of the model.
  private struct Tug {
    let id: Int
    var crew: Int
    var draft: Double?
    var note = 0
    var escort: Int64?
  }

  /// The expected rows by key.
  private typealias Rows = [Int64: Tug]

  /// A reader that moves when the test says so.
  private final class Reader: QueryContext {
    let file: StoreFile
    let schema = LiveQueryTests.schema
    let queryThreads = QueryThreads(maximum: 1)
    let generation = Generation()
    /// Whether the changes of the last move are available, as those of another process may not be.
    private var hasChanges = true
    private var snapshot: Snapshot

    init(_ file: StoreFile) throws {
      self.file = file
      snapshot = try file.snapshot()
    }

    func move(hasChanges: Bool) throws {
      let next = try file.snapshot()
      self.hasChanges = hasChanges
      if hasChanges, let changes = file.changes(after: snapshot.version, through: next.version) {
        generation.apply(changes)
      } else {
        generation.restart()
      }
      snapshot = next
    }

    func currentReader() -> any StoreReader { snapshot }
    func committedVersion() -> Int64 { snapshot.version }
    func changes(since cached: UInt64, _ version: Int64) -> ChangeRange? {
      hasChanges ? file.changes(after: version, through: snapshot.version) : nil
    }
  }

  /// A live query with its expected result.
  private struct Shape {
    let name: String
    let query: LiveQuery
    /// The same query, which is read in several ways and not advanced.
    let other: LiveQuery
    let expected: (Rows) -> [Int64]
    var last: [Int64] = []

    init(
      _ reader: Reader, _ name: String, where text: String = "TRUEPREDICATE", sort: [SortKey] = [],
      distinct: String? = nil, offset: Int = 0, limit: Int? = nil,
      _ expected: @escaping (Rows) -> [Int64]
    ) throws {
      let schema = LiveQueryTests.schema
      var bound = try ObjectQuery("Tug", where: QueryPredicate(parsing: text)).bound(to: schema)
      (bound.offset, bound.limit) = (offset, limit)
      var steps: [LiveQuery.Step] = []
      if !sort.isEmpty {
        steps.append(.sort(try ObjectQuery("Tug", order: sort).bound(to: schema).order))
      }
      if let distinct {
        let root = try schema.queriedClass("Tug")
        steps.append(.distinct([try schema.resolve(PropertyPath(distinct), from: root)]))
      }
      self.name = name
      self.expected = expected
      query = LiveQuery(bound, steps: steps, in: reader)
      other = LiveQuery(bound, steps: steps, in: reader)
    }
  }

  /// The keys of matching rows by numbers, ties in the order of keys.
  private static func keys(
    _ rows: Rows, where matches: (Tug) -> Bool = { _ in true },
    by numbers: (Tug) -> [Double] = { _ in [] }
  ) -> [Int64] {
    rows.filter { matches($0.value) }.map { ($0.key, numbers($0.value) + [Double($0.key)]) }
      .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
  }

  private static func shapes(_ reader: Reader) throws -> [Shape] {
    func crew(_ key: Int64?, _ rows: Rows) -> Int? { key.flatMap { rows[$0]?.crew } }
    func draft(_ tug: Tug) -> Double { tug.draft ?? -.infinity }
    let byCrew = SortKey(PropertyPath("crew"))
    return [
      try Shape(reader, "all") { keys($0) },
      try Shape(reader, "filter", where: "crew > 4") { keys($0) { $0.crew > 4 } },
      try Shape(reader, "not indexed", where: "draft > 2") { keys($0) { draft($0) > 2 } },
      try Shape(reader, "sort", sort: [SortKey(PropertyPath("draft"), isAscending: false)]) {
        keys($0, by: { [$0.draft.map { -$0 } ?? .infinity] })
      },
      try Shape(
        reader, "two keys", where: "crew < 7", sort: [SortKey(PropertyPath("draft")), byCrew]
      ) {
        keys($0, where: { $0.crew < 7 }, by: { [draft($0), Double($0.crew)] })
      },
      try Shape(reader, "link", where: "escort.crew > 4") { rows in
        keys(rows) { crew($0.escort, rows).map { $0 > 4 } ?? false }
      },
      try Shape(reader, "sort through a link", sort: [SortKey(PropertyPath("escort.crew"))]) {
        rows in
        // As in Realm, objects without the link are last in an ascending order.
        keys(rows, by: { [crew($0.escort, rows).map(Double.init) ?? .infinity] })
      },
      try Shape(reader, "limit", sort: [byCrew], offset: 1, limit: 5) {
        Array(keys($0, by: { [Double($0.crew)] }).dropFirst().prefix(5))
      },
      try Shape(reader, "distinct", sort: [SortKey(PropertyPath("draft"))], distinct: "crew") {
        rows in
        var crews: Set<Int?> = []
        return keys(rows, by: { [draft($0)] }).filter { crews.insert(rows[$0]?.crew).inserted }
      },
    ]
  }

  /// Makes a commit of random changes, or a transaction that is rolled back.
  private static func write(
    _ file: StoreFile, _ rows: Rows, _ random: inout SeededGenerator
  ) throws -> Rows {
    var next = rows
    let transaction = try file.beginWrite()
    let layout = try #require(transaction.catalogue.layout("Tug"))
    func set(_ key: Int64, _ name: String, _ value: Value) throws {
      let changes = layout.changes([name: .value(value)])
      #expect(try transaction.update("Tug", ObjectKey(key), changes))
    }
    func insert(_ id: Int) throws {
      var tug = Tug(id: id, crew: random.below(10))
      tug.draft = random.oneIn(4) ? nil : Double(random.below(5))
      var object: PlainObject = [
        "id": .value(.int(Int64(id))), "crew": .value(.int(Int64(tug.crew))),
        "note": .value(.int(0)),
      ]
      if let draft = tug.draft { object["draft"] = .value(.double(draft)) }
      let key = try transaction.insert("Tug", object: object)
      next[key.rawValue] = tug
    }
    // More changes than are applied one by one, at times.
    for _ in 0..<(random.oneIn(8) ? 100 : 1 + random.below(5)) {
      let key = next.keys.sorted().randomElement(using: &random)
      let number = random.below(10)
      switch (random.below(8), key) {
      case (0, _), (_, nil):
        let ids = Set(next.values.map(\.id))
        try insert((1...).first { !ids.contains($0) } ?? 0)
      case (1, let key?):
        let id = next[key]?.id ?? 0
        #expect(try transaction.delete("Tug", ObjectKey(key)))
        next[key] = nil
        for (other, tug) in next where tug.escort == key { next[other]?.escort = nil }
        if random.oneIn(2) { try insert(id) }
      case (2, let key?), (3, let key?):
        try set(key, "crew", .int(Int64(number)))
        next[key]?.crew = number
      case (4, let key?):
        try set(key, "draft", number < 2 ? .null : .double(Double(number) / 2))
        next[key]?.draft = number < 2 ? nil : Double(number) / 2
      case (5, let key?):
        try set(key, "note", .int(Int64(number)))
        next[key]?.note = number
      case (_, let key?):
        let escort = number < 2 ? nil : next.keys.sorted().randomElement(using: &random)
        try set(key, "escort", escort.map { .link(ObjectKey($0)) } ?? .null)
        next[key]?.escort = escort
      }
    }
    if random.oneIn(6) {
      transaction.rollback()
      return rows
    }
    try transaction.commit()
    return next
  }

  /// Returns why a difference does not lead from one result to another.
  private static func fault(
    _ difference: SequenceDifference, _ before: [Int64], _ now: [Int64]
  ) -> String? {
    let (deletions, insertions) = (difference.deletions, difference.insertions)
    guard deletions == Set(deletions).sorted(), insertions == Set(insertions).sorted() else {
      return "indexes out of order"
    }
    let kept = before.indices.filter { !deletions.contains($0) }.map { before[$0] }
    let rest = now.indices.filter { !insertions.contains($0) }.map { now[$0] }
    guard kept == rest else { return "the difference leads elsewhere" }
    // Without a movement only the keys that went and came are part of the difference.
    let (old, new) = (Set(before), Set(now))
    guard before.filter(new.contains) == now.filter(old.contains) else { return nil }
    return kept.count == old.intersection(new).count ? nil : "a key is deleted and inserted"
  }

  /// Reads a query in one of several ways, whatever result it has; returns why the values are not the expected
  /// ones.
  private static func misread(
    _ query: LiveQuery, _ keys: [Int64], _ rows: Rows, _ random: inout SeededGenerator
  ) throws -> String? {
    switch random.below(6) {
    case 0:
      let count = try query.currentCount()
      return count == keys.count ? nil : "\(count) elements"
    case 1:
      let first = try query.currentFirst()
      let expected = keys.first.map { ValueKey(.link(ObjectKey($0))) }
      return first.map(ValueKey.init) == expected ? nil : "first \(first as Any)"
    case 2, 3:
      var found: [ValueKey] = []
      let keepsResult = random.oneIn(2)
      let isColumn = try query.forEachBatch(at: [PropertyPath("crew")], keepsResult: keepsResult) {
        columns, rows in
        for row in rows { found.append(ValueKey(columns[0].value(row))) }
      }
      let crews = keys.map { ValueKey(.int(Int64(rows[$0]?.crew ?? -1))) }
      return isColumn && found == crews ? nil : "the column \(found), \(keepsResult)"
    case 4:
      let found = try query.currentContent().keys
      return found == keys ? nil : "keys \(found)"
    default:
      let old = query.content?.count ?? 0
      return query.discardContent() == old && query.content == nil ? nil : "content"
    }
  }

  @Test(arguments: Seeds.usual(1...6))
  func `results and differences agree with a model`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try TestStore.temporary(Self.schema)
    var rows: Rows = [:]
    for _ in 0..<8 { rows = try Self.write(file, rows, &random) }
    let reader = try Reader(file)
    var shapes = try Self.shapes(reader)
    for index in shapes.indices {
      try shapes[index].query.update()
      shapes[index].last = shapes[index].expected(rows)
    }
    for step in 0..<40 {
      for _ in 0...random.below(3) { rows = try Self.write(file, rows, &random) }
      try reader.move(hasChanges: !random.oneIn(5))
      for (index, shape) in shapes.enumerated() {
        let misread = try Self.misread(shape.other, shape.expected(rows), rows, &random)
        #expect(misread == nil, "seed \(seed), step \(step), shape '\(shape.name)'")
        // A result may stay behind for some versions.
        if random.oneIn(4) { continue }
        let difference = try shape.query.advance()
        let now = shape.expected(rows)
        guard case .keys(let found) = try shape.query.currentContent() else {
          Issue.record("seed \(seed), step \(step), shape '\(shape.name)': no keys")
          return
        }
        #expect(found == now, "seed \(seed), step \(step), shape '\(shape.name)'")
        let fault = Self.fault(difference, shape.last, now)
        #expect(
          fault == nil,
          "seed \(seed), step \(step), shape '\(shape.name)': \(shape.last) \(difference) \(now)")
        shapes[index].last = now
      }
    }
  }

  /// A collection of values.
  private final class Numbers: ElementProvider {
    var numbers: [Int64]
    var dependencies: QueryDependencies? { nil }

    init(_ numbers: [Int64]) { self.numbers = numbers }

    func values() -> [Value] { numbers.map { .int($0) } }
  }

  @Test func `the values of a collection are sorted, counted and read again after a change`() throws
  {
    let file = try TestStore.temporary(Self.schema)
    let reader = try Reader(file)
    let numbers = Numbers([4, 2, 4, 3])
    var limited = BoundQuery("")
    (limited.offset, limited.limit) = (1, 2)
    let live = LiveQuery(
      of: numbers, limited, steps: [.distinct([.itself]), .sort([BoundSortKey(.itself)])],
      in: reader)
    #expect(!live.isPlannable && live.classQuery == nil)
    let first = try live.currentFirst()
    #expect(first.map(ValueKey.init) == ValueKey(.int(3)))
    #expect(try live.currentCount() == 2)
    #expect(live.content?.keys == [] && live.lastIndexes(of: nil).isEmpty)
    let text = "Elements of a collection, one by one: "
    #expect(try live.explain().hasPrefix(text) && live.explainJSON().contains(text))

    numbers.numbers = [5, 5, 1, 2, 7]
    let transaction = try file.beginWrite()
    try transaction.insert(
      "Tug", object: ["id": .value(.int(1)), "crew": .value(.int(1)), "note": .value(.int(0))])
    try transaction.commit()
    try reader.move(hasChanges: true)
    let difference = try live.advance()
    #expect(difference == SequenceDifference(deletions: [0, 1], insertions: [0, 1]))
    let found = try live.currentContent().first
    #expect(found.map(ValueKey.init) == ValueKey(.int(2)))
  }
}
