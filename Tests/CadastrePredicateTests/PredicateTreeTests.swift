import CadastreGeometry
import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastrePredicate

/// What named and bound predicates have in common.
@Suite struct PredicateTreeTests {
  @Test(arguments: Seeds.usual(11...14))
  func `trees are equal where their logic and their leaves are`(seed: UInt64) throws {
    let leaves = try Leaves()
    try leaves.forRandomLogic(seed: seed) { logic, random in
      let others = [logic, logic.changed(&random), RandomLogic(&random, depth: 3)]
      try checkEquality(leaves.named, logic, others)
      try checkEquality(leaves.bound, logic, others)
    }
  }

  private func checkEquality<Phase>(
    _ leaves: [PredicateTree<Phase>], _ logic: RandomLogic, _ others: [RandomLogic]
  ) throws {
    let tree = logic.tree(leaves)
    for other in others {
      let otherTree = other.tree(leaves)
      try #require((tree == otherTree) == (logic == other), "\(tree)\n\(otherTree)")
      if logic == other { try #require(tree.hashValue == otherTree.hashValue, "\(tree)") }
      try #require(Set([tree, otherTree]).count == (logic == other ? 1 : 2))
    }
  }

  @Test(arguments: Seeds.usual(21...24))
  func `leaves are visited from left to right, and a fold has the logic of the tree`(
    seed: UInt64
  ) throws {
    let leaves = try Leaves()
    try leaves.forRandomLogic(seed: seed) { logic, _ in
      try checkTraversal(leaves.named, logic)
      try checkTraversal(leaves.bound, logic)
    }
  }

  private func checkTraversal<Phase>(
    _ leaves: [PredicateTree<Phase>], _ logic: RandomLogic
  ) throws {
    let texts = leaves.map(\.description)
    let tree = logic.tree(leaves)
    var visited: [String] = []
    tree.forEachLeaf { visited.append($0.description) }
    try #require(visited == logic.leaves.map { texts[$0] }, "\(tree)")
    let folded = tree.folded { (leaf) throws(Never) in
      RandomLogic.leaf(texts.firstIndex(of: leaf.description) ?? -1)
    } node: {
      switch $0 {
      case .not(let part): .not(part)
      case .and(let parts): .and(parts)
      case .or(let parts): .or(parts)
      }
    }
    try #require(folded == logic, "\(tree)")
  }

  @Test(arguments: Seeds.usual(31...34))
  func `all and any match as their parts do, without a wrapper around a part of their own kind`(
    seed: UInt64
  ) throws {
    let leaves = try Leaves()
    try leaves.forRandomLogic(seed: seed) { logic, random in
      let parts = (0..<random.below(4)).map { _ in RandomLogic(&random, depth: 2) } + [logic]
      for count in 0...parts.count {
        try checkBuilding(leaves.named, Array(parts.prefix(count)))
        try checkBuilding(leaves.bound, Array(parts.prefix(count)))
      }
    }
  }

  private func checkBuilding<Phase>(
    _ leaves: [PredicateTree<Phase>], _ logic: [RandomLogic]
  ) throws {
    let parts = logic.map { $0.tree(leaves) }
    let (all, any) = (PredicateTree.all(parts), PredicateTree.any(parts))
    let texts = leaves.map(\.description)
    let (allLogic, anyLogic) = (Self.logic(of: all, texts), Self.logic(of: any, texts))
    let negated = Self.logic(of: any.negated, texts)
    for bits in 0..<1 << leaves.count {
      let values = leaves.indices.map { bits >> $0 & 1 == 1 }
      let expected = logic.map { $0.matches(values) }
      try #require(allLogic.matches(values) == !expected.contains(false), "\(all)")
      try #require(anyLogic.matches(values) == expected.contains(true), "\(any)")
      try #require(negated.matches(values) == !expected.contains(true), "\(any)")
    }
    let conjuncts = logic.flatMap { if case .and(let inner) = $0 { inner } else { [$0] } }
    let disjuncts = logic.flatMap { if case .or(let inner) = $0 { inner } else { [$0] } }
    try #require(allLogic == (conjuncts.count == 1 ? conjuncts[0] : .and(conjuncts)), "\(all)")
    try #require(anyLogic == (disjuncts.count == 1 ? disjuncts[0] : .or(disjuncts)), "\(any)")
    if parts.isEmpty { try #require(all.isConstant(true) && any.isConstant(false)) }
  }

  private static func logic<Phase>(
    of tree: PredicateTree<Phase>, _ texts: [String]
  ) -> RandomLogic {
    switch tree {
    case .not(let part): .not(logic(of: part, texts))
    case .and(let parts): .and(parts.map { logic(of: $0, texts) })
    case .or(let parts): .or(parts.map { logic(of: $0, texts) })
    case .constant(let value): value ? .and([]) : .or([])
    case .comparison, .geoWithin, .relation:
      .leaf(texts.firstIndex(of: tree.description) ?? -1)
    }
  }

  @Test func `both phases are printed alike`() throws {
    let texts = [
      "TRUEPREDICATE", "NOT (crew == 3 OR name == null)", "crew IN {1, 2} AND seats BETWEEN {1, 4}",
      "name BEGINSWITH[cd] 'a' AND name LIKE 'a*'", "name MATCHES 'a.\\'*'",
      "log TEXT 'north -calm'",
      "ANY marks > 2", "ALL marks != 2", "marks == {1, 2}", "extra[*] == 'a'",
      "escort == objKey('Boat', 3)", "ANY trips.to IN {objKey('Harbor', 1), objKey('Harbor', 2)}",
      "marks.@sum > 3 AND trips.@max.miles < 4.5", "(crew + 1) * 2 == seats",
      "SUBQUERY(trips, $x, $x.miles > 1.0 AND SUBQUERY($x.to.boats, $x2, $x2.crew == 1).@count == 2)"
        + ".@count > 0",
      "berth.site GEOWITHIN geoCircle([1.0, 2.0], 0.1)",
      "NONE trips.to.site GEOWITHIN[planar] geoBox([1.0, 2.0], [3.0, 4.0])",
      "berth.site GEOINTERSECTS geometry('POINT (1.0 2.0)')",
      "GEODISTANCE(berth.site, geometry('POINT (1.0 2.0)')) < 0.1",
      "berth.site GEOWITHIN ANY Harbor.buoys WHERE (depth > 3.0)",
    ]
    for text in texts {
      let named = try QueryPredicate(parsing: text)
      let bound = try named.bound(to: Fleet.schema, root: #require(Fleet.schema["Boat"]))
      #expect(
        [named.description, bound.description, named.summary, bound.summary].allSatisfy {
          $0 == text
        }, "\(named)\n\(bound)")
      guard case .comparison(let left) = named, case .comparison(let right) = bound else {
        continue
      }
      #expect("\(left) \(left.left) \(left.right)" == "\(right) \(right.left) \(right.right)")
    }
  }

  @Test func `the parts of both phases are found`() throws {
    let text = """
      crew + seats == 3 AND (marks.@sum > 1 OR NOT berth.site GEOWITHIN geoCircle([1.0, 2.0], 0.1)) \
      AND GEODISTANCE(berth.site, escort.berth.site) < 0.1 AND ANY trips.to == objKey('Harbor', 3) \
      AND SUBQUERY(trips, $x, $x.to == objKey('Harbor', 4) \
      AND $x.to.site GEOWITHIN geoCircle([3.0, 4.0], 0.1)).@count == 1
      """
    let named = try QueryPredicate(parsing: text)
    let bound = try named.bound(to: Fleet.schema, root: #require(Fleet.schema["Boat"]))
    let paths = [
      "crew", "seats", "marks", "berth.site", "berth.site", "escort.berth.site", "trips.to",
      "trips",
    ]
    #expect(named.paths.map(\.description) == paths && bound.paths.map(\.description) == paths)
    let regions = ["geoCircle([1.0, 2.0], 0.1)", "geoCircle([3.0, 4.0], 0.1)"]
    #expect(named.regions.map { $0.shape.description } == regions)
    #expect(bound.regions.map { $0.shape.description } == regions)
    var references: [ObjectReference] = []
    named.forEachObjectReference { references.append($0) }
    bound.forEachObjectReference { references.append($0) }
    let expected = ["objKey('Harbor', 3)", "objKey('Harbor', 4)"]
    #expect(references.map(\.description) == expected + expected)
    #expect(named.depth(limit: 9) == 5 && bound.depth(limit: 9) == 5)
    #expect(named.depth(limit: 2) == 2 && bound.depth(limit: 2) == 2)
  }

  @Test func `the regions in conditions of relations are found, and levels are counted`() throws {
    let text = """
      crew == 1 AND NOT berth.site GEOINTERSECTS ANY Boat.berth.site \
      WHERE (berth.site GEOWITHIN geoCircle([1.0, 2.0], 0.1) OR crew == 2 AND \
      berth.site GEOINTERSECTS ANY Harbor.site WHERE (site GEOWITHIN geoCircle([3.0, 4.0], 0.1)))
      """
    let named = try QueryPredicate(parsing: text)
    let bound = try named.bound(to: Fleet.schema, root: #require(Fleet.schema["Boat"]))
    let regions = ["geoCircle([1.0, 2.0], 0.1)", "geoCircle([3.0, 4.0], 0.1)"]
    #expect(named.regions.map { $0.shape.description } == regions)
    #expect(bound.regions.map { $0.shape.description } == regions)
    // AND, NOT, the relation, its objects, OR, AND, the relation, its objects, the region.
    #expect(named.depth(limit: 20) == 9 && bound.depth(limit: 20) == 9)
    #expect(named.depth(limit: 8) == 8)
  }

  @Test func `the objects in conditions of relations are found`() throws {
    let named = try QueryPredicate(
      parsing: "crew == 1 AND NOT berth.site GEOINTERSECTS ANY Boat.berth.site "
        + "WHERE (escort == objKey('Boat', 5) OR berth.site GEOWITHIN ANY Boat.berth.site "
        + "WHERE (escort IN {objKey('Boat', 6), objKey('Boat', 7)}))")
    let bound = try named.bound(to: Fleet.schema, root: #require(Fleet.schema["Boat"]))
    let expected = ["objKey('Boat', 5)", "objKey('Boat', 6)", "objKey('Boat', 7)"]
    #expect(named.objectReferences.map(\.description) == expected)
    #expect(bound.named.objectReferences.map(\.description) == expected)
  }

  @Test func `the region of a geometry is found`() throws {
    let park = ObjectSchema(
      className: "Park", properties: [Property(name: "border", type: .geometry)])
    let named = try QueryPredicate(
      parsing: "border GEOWITHIN[planar] geoBox([1.0, 2.0], [3.0, 4.0]) AND "
        + "NOT border GEOINTERSECTS geoCircle([3.0, 4.0], 0.1)")
    let bound = try named.bound(to: Schema([park]), root: park)
    for regions in [named.regions, bound.regions] {
      #expect(regions.map { $0.shape.description } == ["geoBox([1.0, 2.0], [3.0, 4.0])"])
      #expect(regions.map { $0.edges } == [.planar])
    }
  }

  @Test func `prepared constants are equal where they were written alike`() throws {
    func circle(_ radius: Double) throws -> Resolved.Region {
      let shape = GeoShape.circle(
        try #require(GeoCircle(center: (2, 1), radiusInRadians: radius)))
      return PreparedConstant(shape, try PreparedRegion(shape, edges: .spherical))
    }
    let (one, other) = (try circle(0.1), try circle(0.1))
    #expect(one.prepared !== other.prepared)
    #expect(one == other && one.hashValue == other.hashValue)
    #expect(try one != circle(0.2))
  }

  @Test func `a compiled pattern matches texts, and has the text it was read from`() throws {
    let expression = CompiledPattern.expression(try RegularExpression("a.c", options: []))
    #expect(expression.text == "a.c" && expression.matches("abc") && !expression.matches("ab"))
    let words = CompiledPattern.words(try TextPattern("north -calm"), text: "north -calm")
    #expect(words.text == "north -calm" && words.matches("Calmer in the north"))
    #expect(!words.matches("calm north"))
  }
}

/// Leaves of each kind in both phases.
private struct Leaves {
  let named: [QueryPredicate]
  let bound: [BoundPredicate]

  init() throws {
    named = try [
      "crew == 3", "name MATCHES 'a.*'", "berth.site GEOWITHIN geoCircle([1.0, 2.0], 0.1)",
      "GEODISTANCE(berth.site, geometry('POINT (1.0 2.0)')) < 0.1",
    ].map { try QueryPredicate(parsing: $0) }
    let root = try #require(Fleet.schema["Boat"])
    bound = try named.map { try $0.bound(to: Fleet.schema, root: root) }
  }

  func forRandomLogic(
    seed: UInt64, _ check: (RandomLogic, inout SeededGenerator) throws -> Void
  ) throws {
    var random = SeededGenerator(seed: seed)
    for number in 0..<50 {
      let logic = RandomLogic(&random, depth: 1 + random.below(5))
      do {
        try check(logic, &random)
      } catch {
        Issue.record("seed \(seed), logic \(number): \(error)")
        return
      }
    }
  }
}

/// NOT, AND and OR over leaves that are known by their index.
private indirect enum RandomLogic: Hashable {
  case leaf(Int)
  case not(RandomLogic)
  case and([RandomLogic])
  case or([RandomLogic])

  static let leafCount = 4

  init(_ random: inout SeededGenerator, depth: Int) {
    func parts() -> [RandomLogic] {
      (0..<random.below(4)).map { _ in RandomLogic(&random, depth: depth - 1) }
    }
    switch depth == 0 ? 0 : random.below(5) {
    case 0, 1: self = .leaf(random.below(Self.leafCount))
    case 2: self = .not(RandomLogic(&random, depth: depth - 1))
    case 3: self = .and(parts())
    default: self = .or(parts())
    }
  }

  /// The logic with one part changed.
  func changed(_ random: inout SeededGenerator) -> RandomLogic {
    switch self {
    case .not(let part): return random.oneIn(2) ? part : .not(part.changed(&random))
    case .and(let parts) where parts.isEmpty || random.oneIn(3): return .or(parts)
    case .or(let parts) where parts.isEmpty || random.oneIn(3): return .and(parts)
    case .leaf(let index): return .leaf((index + 1) % Self.leafCount)
    case .and(var parts):
      let index = random.below(parts.count)
      parts[index] = parts[index].changed(&random)
      return .and(parts)
    case .or(var parts):
      parts.remove(at: random.below(parts.count))
      return .or(parts)
    }
  }

  var leaves: [Int] {
    switch self {
    case .leaf(let index): [index]
    case .not(let part): part.leaves
    case .and(let parts), .or(let parts): parts.flatMap(\.leaves)
    }
  }

  func matches(_ values: [Bool]) -> Bool {
    switch self {
    case .leaf(let index): values[index]
    case .not(let part): !part.matches(values)
    case .and(let parts): parts.allSatisfy { $0.matches(values) }
    case .or(let parts): parts.contains { $0.matches(values) }
    }
  }

  func tree<Phase>(_ leaves: [PredicateTree<Phase>]) -> PredicateTree<Phase> {
    switch self {
    case .leaf(let index): leaves[index]
    case .not(let part): .not(part.tree(leaves))
    case .and(let parts): .and(parts.map { $0.tree(leaves) })
    case .or(let parts): .or(parts.map { $0.tree(leaves) })
    }
  }
}
