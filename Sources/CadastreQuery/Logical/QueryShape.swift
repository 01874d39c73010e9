import CadastreGeometry
import CadastreModel
package import CadastrePredicate

/// The shape of a query: its logic, operators and paths, the kinds of its constants, its order, the columns that it
/// yields, and how many objects it needs.
///
/// Every scalar, region and non-empty list is an argument, which is not part of the shape. Null, NaN, empty
/// lists, patterns, words and options belong to the shape, because plans depend on them. Limit and offset are
/// arguments in buckets.
package struct QueryShape: Sendable {
  private let className: String
  /// The shape as numbers; paths are the addresses of their objects.
  private let words: [UInt]
  /// The paths of the query, which stay alive, because the numbers contain their addresses.
  private let paths: [BoundPath]
  /// A hash of the numbers.
  let hash: Int

  /// The maximum number of numbers in a shape, so that they fit on the stack.
  private static let mostNumbers = 128

  /// The shape of a query; nil for relations to objects of a class, deep logic, and many conditions.
  package init?(_ query: BoundQuery) {
    let numbers = Self.withNumbers(of: query) { (Array($0), $1) }
    guard let (words, hash) = numbers else { return nil }
    self.words = words
    self.hash = hash
    paths = query.predicate.allPaths + query.order.map(\.path) + query.outputPaths
    className = query.className
  }

  /// Calls a closure with the shape of a query as numbers, and with their hash.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - body: The closure.
  /// - Returns: The result of the closure; nil for a query without a shape.
  static func withNumbers<Result>(
    of query: BoundQuery, _ body: (UnsafeBufferPointer<UInt>, Int) -> Result?
  ) -> Result? {
    withUnsafeTemporaryAllocation(of: UInt.self, capacity: mostNumbers) { memory in
      var writer = ShapeWriter(words: WordBuffer(memory))
      guard writer.append(query.predicate, depth: 0) else { return nil }
      for key in query.order { writer.append(key) }
      for path in query.outputPaths { writer.append(path) }
      writer.words.append(
        bucket(query.limit) | bucket(query.offset) << 8
          | UInt(query.outputPaths.count) << 16 | (query.yieldsColumns ? 1 << 15 : 0))
      guard writer.words.isComplete else { return nil }
      let words = UnsafeBufferPointer(start: memory.baseAddress, count: writer.words.count)
      var mix: UInt = 0
      for word in words {
        mix = (mix ^ word) &* 0x9E37_79B9_7F4A_7C15
        mix ^= mix >> 29
      }
      return body(words, Int(bitPattern: mix))
    }
  }

  /// Returns whether a query of a class has this shape, given the numbers of its shape.
  func isShape(of className: String, _ words: UnsafeBufferPointer<UInt>) -> Bool {
    self.words.count == words.count && words.indices.allSatisfy { self.words[$0] == words[$0] }
      && self.className == className
  }

  /// The approximate size in bytes of the shape and of a plan for it.
  var byteCount: Int { 512 + words.count * 128 }

  /// The bucket of a number of rows: none, 0, up to a page, or more.
  private static func bucket(_ rows: Int?) -> UInt {
    switch rows {
    case nil: 0
    case 0: 1
    case let rows?: rows <= 128 ? 2 : 3
    }
  }
}

/// A list of numbers in temporary memory.
private struct WordBuffer {
  private let memory: UnsafeMutableBufferPointer<UInt>
  private(set) var count = 0
  /// Whether all numbers fit the memory.
  private(set) var isComplete = true

  init(_ memory: UnsafeMutableBufferPointer<UInt>) { self.memory = memory }

  mutating func append(_ word: UInt) {
    guard count < memory.count else { return isComplete = false }
    memory[count] = word
    count += 1
  }
}

/// Writes the shape of a query as numbers.
private struct ShapeWriter {
  var words: WordBuffer

  /// The levels of logic beyond which a query has no shape; bounds the stack that is used.
  private static let maximumDepth = 16

  mutating func append(_ key: BoundSortKey) {
    append(key.path)
    let criterion: UInt =
      switch key.criterion {
      case .value: 0
      case .distance: 1
      case .relevance: 2
      case .text(let collation): 3 | UInt(collation.rawValue) << 2
      }
    let nulls: UInt =
      switch key.nulls {
      case nil: 0
      case .first?: 1
      case .last?: 2
      }
    words.append(criterion << 3 | nulls << 1 | (key.isAscending ? 1 : 0))
  }

  mutating func append(_ path: BoundPath) {
    // A path is resolved once for each schema.
    words.append(UInt(bitPattern: ObjectIdentifier(path)))
  }

  mutating func append(_ predicate: BoundPredicate, depth: Int) -> Bool {
    guard depth < Self.maximumDepth else { return false }
    switch predicate {
    case .constant(let value): words.append(value ? 1 : 2)
    case .not(let inner):
      words.append(3)
      return append(inner, depth: depth + 1)
    case .and(let parts):
      words.append(4 | UInt(parts.count) << 8)
      for part in parts where !append(part, depth: depth + 1) { return false }
    case .or(let parts):
      words.append(5 | UInt(parts.count) << 8)
      for part in parts where !append(part, depth: depth + 1) { return false }
    case .geoWithin(let within):
      words.append(6 | within.quantifier.code << 8 | (within.edges == .planar ? 1 << 16 : 0))
      append(within.path)
    case .relation(let relation): return append(relation)
    case .comparison(let comparison):
      words.append(
        7 | comparison.operation.code << 8 | UInt(UInt8(bitPattern: comparison.options.rawValue))
          << 16)
      return append(comparison.left, depth: depth)
        && append(comparison.right, depth: depth)
    }
    return true
  }

  /// Appends a relation, whose region, geometry and distance are arguments.
  private mutating func append(_ relation: BoundRelation) -> Bool {
    words.append(
      8 | relation.kind.code << 8 | relation.quantifier.code << 24
        | (relation.edges == .planar ? 1 << 32 : 0))
    append(relation.left)
    return append(relation.right)
  }

  /// Appends the right side of a relation or a distance; returns false for the geometries of objects.
  private mutating func append(_ side: BoundRelation.Side) -> Bool {
    switch side {
    case .region, .geometry: words.append(1)
    case .path(let path):
      words.append(2)
      append(path)
    // Its query has a plan of its own.
    case .objects: return false
    }
    return true
  }

  private mutating func append(_ operand: BoundOperand, depth: Int) -> Bool {
    switch operand {
    case .property(let path):
      words.append(1)
      append(path)
    case .elements(let quantifier, let path):
      words.append(2 | quantifier.code << 8)
      append(path)
    case .value(let value):
      words.append(value.isNull ? 3 : value.isNaN ? 4 : 5)
    case .list(let values): append(values, 6)
    case .constants(let quantifier, let values): append(values, 8 | quantifier.code << 8)
    case .object: words.append(10)
    case .objects: words.append(11)
    case .pattern(.expression(let expression)):
      words.append(12)
      append(expression.pattern)
    case .pattern(.words(_, let text)):
      words.append(13)
      append(text)
    case .aggregate(let aggregate):
      words.append(14 | aggregate.operation.code << 8 | (aggregate.member == nil ? 0 : 1 << 16))
      append(aggregate.collection)
      if let member = aggregate.member { append(member) }
    case .subquery(let subquery):
      words.append(15)
      append(subquery.collection)
      return append(subquery.predicate, depth: depth + 1)
    case .outer(let outer):
      guard depth < Self.maximumDepth else { return false }
      words.append(18 | UInt(outer.level) << 8)
      return append(outer.operand, depth: depth + 1)
    case .arithmetic(let arithmetic):
      guard depth < Self.maximumDepth else { return false }
      words.append(16 | arithmetic.operation.code << 8)
      return append(arithmetic.left, depth: depth + 1)
        && append(arithmetic.right, depth: depth + 1)
    case .distance(let distance):
      words.append(
        17 | distance.quantifier.code << 8 | (distance.edges == .planar ? 1 << 16 : 0))
      append(distance.left)
      return append(distance.right)
    }
    return true
  }

  /// Appends the code of a list of constants; an empty list has the code after it.
  private mutating func append(_ values: [Value], _ code: UInt) {
    if values.isEmpty { return words.append(code + 1) }
    // A list with null or NaN has a plan of its own, too.
    let hasNull = values.contains { $0.isNull || $0.isNaN }
    words.append(code | (hasNull ? 1 << 16 : 0))
  }

  /// Appends a text as its bytes, eight in each number.
  private mutating func append(_ text: String) {
    var (word, count) = (UInt(0), 0)
    for byte in text.utf8 {
      word = word << 8 | UInt(byte)
      count += 1
      if count % 8 == 0 {
        words.append(word)
        word = 0
      }
    }
    words.append(word)
    words.append(UInt(count))
  }
}

extension AggregateOperation {
  fileprivate var code: UInt {
    switch self {
    case .min: 0
    case .max: 1
    case .sum: 2
    case .average: 3
    }
  }
}

extension ArithmeticOperation {
  fileprivate var code: UInt {
    switch self {
    case .add: 0
    case .subtract: 1
    case .multiply: 2
    case .divide: 3
    }
  }
}

extension GeometryRelationKind {
  fileprivate var code: UInt {
    switch self {
    case .intersects: 0
    case .disjoint: 1
    case .within: 2
    case .contains: 3
    case .equals: 4
    case .touches: 5
    case .crosses: 6
    case .overlaps: 7
    case .distance(let operation, _): 8 | operation.code << 8
    }
  }
}
