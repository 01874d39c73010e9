import CadastreModel
public import CadastrePredicate
import CadastreQuery

/// The live results of a query, computed on the first access, and updated after changes of the Realm.
///
///     let airports = realm.objects(Airport.self).where { $0.country == "FR" }
///     print(airports.count, airports.first?.name ?? "none")
///
/// `for … in` iterates over the matching objects at the start of the loop. Without a sort, objects are in
/// insertion order.
public struct Results<Element: RealmCollectionValue> {
  let queryResult: QueryResult

  init(_ queryResult: QueryResult) { self.queryResult = queryResult }

  /// Returns at most `count` of the objects after the first `offset`.
  ///
  /// A negative number stops the process; for numbers from outside see ``limit(checking:offset:)``.
  public func limit(_ count: Int, offset: Int = 0) -> Results {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try limit(checking: count, offset: offset)
    }
  }

  /// Returns at most `count` of the objects after the first `offset`; the numbers may come from outside the
  /// program.
  ///
  /// - Throws: `QueryPredicateError` for a negative number.
  public func limit(checking count: Int, offset: Int = 0) throws(QueryPredicateError) -> Results {
    Results(try queryResult.limited(count, offset: offset))
  }

  // MARK: Plans

  /// Returns the plan of the query, one line per step, the last step first.
  public func explain() -> String { explain([]) }

  /// The number of objects; no instances are created.
  public var count: Int { queryResult.count }

  /// Whether there are no objects.
  public var isEmpty: Bool { queryResult.firstValue() == nil }
}

extension Results: RealmCollection {
  /// The source of the elements.
  @_documentation(visibility: internal)
  public var handle: CollectionHandle { CollectionHandle(queryResult) }

  /// The index of the first element: 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int { count }

  /// The object at an index; one out of bounds stops the process.
  public subscript(index: Int) -> Element {
    // After a read error there are fewer elements than counted; the missing ones are null.
    guard
      (0..<queryResult.loadedCount).contains(index)
        || queryResult.isCounted(index)
        || (queryResult.core.hasReadError && (0..<count).contains(index))
    else {
      ProgrammingError.stop("Index \(index) is out of bounds (must be less than \(count)).")
    }
    return StoredElement.make(queryResult.value(at: index), queryResult.context(at: index))
  }

  /// Iterates over the current objects; objects deleted during the iteration are invalidated.
  public func makeIterator() -> AnyIterator<Element> {
    if let objects = queryResult.objects(Element.self) { return objects }
    if let embedded = queryResult.embedded {
      return AnyIterator(embedded.objects.compactMap { $0 as? Element }.makeIterator())
    }
    var values = queryResult.countedValues().enumerated().makeIterator()
    return AnyIterator {
      values.next().map { StoredElement.make($0.element, queryResult.context(at: $0.offset)) }
    }
  }

  /// Returns whether both are the same query in the same Realm.
  public static func == (first: Results, second: Results) -> Bool {
    first.queryResult.isSame(as: second.queryResult)
  }
}

extension Results: Encodable where Element: Encodable {}

/// The details that `explain` adds to a plan.
public struct ExplainOptions: OptionSet, Sendable {
  /// The bits of the options.
  public let rawValue: Int
  /// Creates a set of options from bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Estimated rows and cost.
  public static let estimates = ExplainOptions(rawValue: 1)
  /// The rejected access paths with their costs.
  public static let candidates = ExplainOptions(rawValue: 2)
  /// The rules that rewrote the predicate.
  public static let rules = ExplainOptions(rawValue: 4)
  /// Measurements of an execution of the query.
  public static let measured = ExplainOptions(rawValue: 8)
  /// Whether a query of the same shape was planned before: `shape: reused` or `shape: new`.
  public static let shape = ExplainOptions(rawValue: 16)
}

extension Results {
  /// Returns the plan of the query with details, one line per step, the last step first.
  ///
  ///     print(near.explain([.estimates, .measured]))
  ///
  /// A measured plan marks estimates that differ from the measurement by a factor of 10 or more.
  public func explain(_ options: ExplainOptions) -> String {
    plan { try queryResult.explain(options.printed, measured: options.contains(.measured)) }
  }

  /// Returns the plan as JSON: `plan`, a tree of steps with `inputs`, `rules`, `rejected` and, after an
  /// execution, `measured`.
  public func explainJSON(measured: Bool = false) -> String {
    plan { try queryResult.explainJSON(measured: measured) }
  }

  private func plan(_ text: () throws -> String) -> String {
    let core = queryResult.core
    return core.exclusively { core.attempt(or: "", text) }
  }
}

extension ExplainOptions {
  /// The printed details, apart from measurements.
  fileprivate var printed: PlanText.Options {
    var printed: PlanText.Options = []
    if contains(.estimates) { printed.insert(.estimates) }
    if contains(.candidates) { printed.insert(.candidates) }
    if contains(.rules) { printed.insert(.rules) }
    if contains(.shape) { printed.insert(.shape) }
    return printed
  }
}

extension Results where Element: ObjectBase {
  /// Returns the objects whose text contains words, the most relevant first.
  ///
  ///     boats.search("north* wind -calm", in: \.log)
  ///
  /// Words match as by TEXT in predicates: letter case and accents are ignored, `nor*` matches all words with
  /// that prefix, and `-calm` excludes a word. The relevance is BM25: texts with rarer and more frequent
  /// matches, and shorter texts, are more relevant.
  ///
  /// The text may come from a search box: only letters, digits and marks are significant, and no text is an
  /// error. A text without a required word, or one that requires and excludes the same word, matches nothing.
  ///
  /// - Parameters:
  ///   - text: The words, separated by blanks.
  ///   - keyPath: A property that is marked `@Persisted(fullText: true)`.
  /// - Returns: The objects by descending relevance.
  public func search<Text: FullTextPersistable>(
    _ text: String, in keyPath: KeyPath<Element, Text>
  ) -> Results {
    let path = PropertyPath(PropertyNames.name(of: keyPath))
    return ProgrammingError.orStop { () throws(QueryPredicateError) in
      guard let words = TextPattern(freeText: text) else {
        return Results(try queryResult.narrowed(.constant(false)))
      }
      let found = try queryResult.narrowed(.compare(path, .text, .string(text)))
      return Results(try found.sorted([SortKey(path, by: .relevance(words))]))
    }
  }
}
