import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Compares queries whose texts, templates and plans are cached with the same queries without any cache, with
/// scans, and with the reference evaluator.
struct CachedPlanChecks {
  /// A reader, and what it must find.
  struct Source {
    let name: String
    let reader: any StoreReader
    let objects: PlainObjects
    /// The number of objects that the evaluator tests; nil for all.
    var sampleSize: Int?
  }

  let seed: UInt64
  /// The schema whose caches are tested.
  let schema: Schema
  /// The number of queries that were compared.
  private(set) var answered = 0
  /// The number of queries that matched some objects, but not all.
  private(set) var selective = 0
  /// The number of vectors that did not fit.
  private(set) var refused = 0
  /// The number of queries whose plans reused a shape.
  private(set) var reused = 0
  /// The number of queries that used several threads.
  private(set) var parallel = 0
  /// Whether all queries agreed.
  private(set) var agrees = true

  init(seed: UInt64, _ schema: Schema) {
    self.seed = seed
    self.schema = schema
  }

  /// Compares one query.
  ///
  /// - Parameters:
  ///   - shape: The shape.
  ///   - prepared: The text of the shape, prepared before.
  ///   - arguments: The arguments.
  ///   - source: The reader.
  /// - Throws: The error of a read.
  mutating func check(
    _ shape: CachedPlanShape, _ prepared: PreparedPredicate, _ arguments: [PredicateArgument],
    in source: Source
  ) throws {
    guard agrees else { return }
    let fresh = Schema(schema.objectSchema)
    let forms: [(name: String, query: Result<BoundQuery, any Error>)] = [
      ("the cached text", Result { try cachedText(shape, arguments) }),
      ("the prepared text", Result { try preparedText(shape, prepared, arguments) }),
    ]
    let whole = Result { try literal(shape.text, arguments, of: shape, in: fresh) }
    for form in forms {
      guard Self.outcome(form.query, shape) == Self.outcome(whole, shape) else {
        record(shape, arguments, source, "\(form.name) gives \(form.query), expected \(whole)")
        return
      }
    }
    try checkPrinted(shape, arguments, whole, source)
    guard case .success(let expectedQuery) = whole else {
      refused += 1
      return
    }
    let expected = try expected(expectedQuery, source, fresh)
    for (form, threads) in [(forms[0], 1), (forms[0], 2), (forms[1], 1)] {
      let query = try form.query.get()
      let session = QuerySession(
        source.reader, schema: schema, threads: QueryThreads(maximum: threads, minimumRows: 1))
      let (found, statistics) = try session.keys(query)
      let count = try session.count(query)
      if statistics.threads > 1 { parallel += 1 }
      guard found != expected || count != expected.count else { continue }
      record(
        shape, arguments, source,
        """
        \(form.name), threads \(threads): found \(found.excerpt), counted \(count)
        expected \(expected.excerpt)
        \(try session.explain(query))
        """)
      return
    }
    try note(forms, expected, source)
  }

  private mutating func note(
    _ forms: [(name: String, query: Result<BoundQuery, any Error>)], _ expected: [Int64],
    _ source: Source
  ) throws {
    answered += 1
    if !expected.isEmpty, expected.count < source.objects.keys("Ship").count { selective += 1 }
    let session = QuerySession(source.reader, schema: schema)
    if try session.plan(forms[0].query.get()).reusesShape { reused += 1 }
  }

  // MARK: Forms

  private func query(
    _ shape: CachedPlanShape, _ predicate: BoundPredicate, in schema: Schema
  ) throws -> BoundQuery {
    let root = try schema.queriedClass("Ship")
    return BoundQuery(
      "Ship", where: predicate, order: try shape.order.map { try $0.bound(to: schema, root: root) },
      offset: shape.offset, limit: shape.limit)
  }

  private func cachedText(
    _ shape: CachedPlanShape, _ arguments: [PredicateArgument]
  ) throws -> BoundQuery {
    let (schema, root) = (schema, try schema.queriedClass("Ship"))
    let predicate = try schema.boundPredicates.bound(
      parsing: shape.text, arguments: arguments, to: "Ship"
    ) {
      (predicate) throws(QueryPredicateError) in try predicate.bound(to: schema, root: root)
    }
    return try query(shape, predicate, in: schema)
  }

  private func preparedText(
    _ shape: CachedPlanShape, _ prepared: PreparedPredicate, _ arguments: [PredicateArgument]
  ) throws -> BoundQuery {
    let (schema, root) = (schema, try schema.queriedClass("Ship"))
    let predicate = try prepared.bound(arguments, to: "Ship", in: schema.boundPredicates) {
      (predicate) throws(QueryPredicateError) in try predicate.bound(to: schema, root: root)
    }
    return try query(shape, predicate, in: schema)
  }

  /// The query with a predicate text, parsed and bound with a schema that has no cache yet.
  private func literal(
    _ text: String, _ arguments: [PredicateArgument] = [], of shape: CachedPlanShape,
    in fresh: Schema
  ) throws -> BoundQuery {
    let named = try QueryPredicate(parsing: text, arguments: arguments)
    return try query(
      shape, named.bound(to: fresh, root: fresh.queriedClass("Ship")), in: fresh)
  }

  /// A query or the text of an error, whichever there is.
  private static func outcome(
    _ query: Result<BoundQuery, any Error>, _ shape: CachedPlanShape
  ) -> Outcome {
    switch query {
    case .success(let query): .query(query)
    case .failure(let error as QueryPredicateError): .error(error.found(in: shape.text).description)
    case .failure(let error): .error("\(error)")
    }
  }

  private enum Outcome: Equatable {
    case query(BoundQuery)
    case error(String)
  }

  /// Compares with the query whose arguments are written into the text, if all of them can be.
  private mutating func checkPrinted(
    _ shape: CachedPlanShape, _ arguments: [PredicateArgument],
    _ whole: Result<BoundQuery, any Error>, _ source: Source
  ) throws {
    guard arguments.allSatisfy(\.isPlain) else { return }
    let printed = "\(try QueryPredicate(parsing: shape.text, arguments: arguments))"
    let fresh = Schema(schema.objectSchema)
    let outcome = Result { try literal(printed, of: shape, in: fresh) }
    let agrees =
      switch (outcome, whole) {
      case (.success(let one), .success(let other)): one == other
      case (.failure(let one as QueryPredicateError), .failure(let other as QueryPredicateError)):
        one.message == other.message
      default: false
      }
    guard !agrees else { return }
    record(shape, arguments, source, "\(printed) gives \(outcome), expected \(whole)")
  }

  // MARK: Results

  /// The keys that the query finds without any cache: by the best plan, by a scan, and in the evaluator.
  private mutating func expected(
    _ query: BoundQuery, _ source: Source, _ fresh: Schema
  ) throws -> [Int64] {
    var literal = Planner.Options()
    literal.cachesPlans = false
    var scan = Planner.Options.withoutIndexes
    scan.cachesPlans = false
    let one = QueryThreads(maximum: 1)
    let found = try QuerySession(source.reader, schema: fresh, options: literal, threads: one)
      .keys(query).keys
    let scanned = try QuerySession(source.reader, schema: fresh, options: scan, threads: one)
      .keys(query).keys
    let oracle = ScanOracle(source.objects)
    let expected: [Int64]
    if let size = source.sampleSize {
      var random = SeededGenerator(seed: seed)
      let sample = Array(source.objects.keys("Ship").shuffled(using: &random).prefix(size))
      let matching = try Set(oracle.matching(sample, of: "Ship", query.predicate.named))
      let hit = Set(scanned).intersection(sample)
      expected = matching == hit ? scanned : matching.sorted()
    } else {
      expected = try oracle.keys(query)
    }
    if found != expected || scanned != expected {
      agrees = false
      Issue.record(
        """
        seed \(seed), \(source.name): \(query.predicate)
        order \(query.order), offset \(query.offset), limit \(query.limit ?? -1)
        without a cache \(found.excerpt), by a scan \(scanned.excerpt)
        expected \(expected.excerpt)
        """)
    }
    return expected
  }

  private mutating func record(
    _ shape: CachedPlanShape, _ arguments: [PredicateArgument], _ source: Source, _ what: String
  ) {
    agrees = false
    Issue.record(
      """
      seed \(seed), \(source.name): \(shape.text)
      arguments \(arguments)
      order \(shape.order), offset \(shape.offset), limit \(shape.limit ?? -1)
      \(what)
      """)
  }
}

extension [Int64] {
  /// The first keys and their number.
  fileprivate var excerpt: String {
    count > 60 ? "\(Array(prefix(60))) … of \(count)" : "\(self)"
  }
}

extension PredicateArgument {
  /// Whether the argument can be written into a text such that it is read back with the same bits.
  fileprivate var isPlain: Bool {
    switch self {
    case .value(let value): value.isPlain
    case .list(let values): values.allSatisfy(\.isPlain)
    case .shape, .object, .objects, .members, .elements, .entries: false
    }
  }
}

extension Value {
  fileprivate var isPlain: Bool {
    switch self {
    case .null, .bool, .int, .string, .data, .date, .objectId, .uuid: true
    case .float(let number): !number.isNaN || number.bitPattern == Float.nan.bitPattern
    case .double(let number): !number.isNaN || number.bitPattern == Double.nan.bitPattern
    case .decimal, .geometry, .link, .object, .list, .map: false
    }
  }
}
