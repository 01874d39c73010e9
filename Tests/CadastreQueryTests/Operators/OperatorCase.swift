import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// A query, and the operators that its plan contains.
struct OperatorCase: Sendable, CustomTestStringConvertible {
  /// The pages for which the plan contains the operators.
  enum Pages {
    case all
    /// Pages whose last row is known.
    case limited
    /// Pages without a limit.
    case unlimited
  }

  /// The beginnings of the lines that name the operators in the text of the plan.
  let steps: [String]
  /// The predicate.
  let text: String
  /// The class.
  var className = "Plot"
  /// The order.
  var order: [SortKey] = []
  /// The access paths that are not switched off, beside the scan.
  var kinds: Set<AccessPath.Kind> = []
  /// The pages for which the plan contains the operators.
  var pages = Pages.all
  /// Whether a plan for at most one row does not contain the operators.
  var needsRows = false
  /// The properties whose columns are compared; nil for the usual ones of the class.
  var columns: [String]?
  /// The beginning of the line that says how the columns are read.
  var projection = "Project "

  var testDescription: String { "\(steps.joined(separator: ", ")): \(text)" }

  /// Options by which every access path of the kinds costs less than a scan.
  var options: Planner.Options {
    var options = Planner.Options.withoutIndexes
    options.disabledPaths.subtract(kinds)
    guard !kinds.isEmpty else { return options }
    options.costs.scanStart = 1e12
    options.costs.scanStep = 1e6
    options.costs.rowRead = 1e6
    return options
  }
}

// MARK: The expected result

extension OperatorCase {
  /// The whole result of the query of a case, by the reference evaluator.
  struct ExpectedResult {
    let query: BoundQuery
    let keys: [Int64]
    /// The paths of the columns that are compared.
    let paths: [BoundPath]
    /// The key and the columns of each object.
    let rows: [[ValueKey]]
  }

  /// Evaluates the query on plain objects.
  func expected(_ objects: PlainObjects) throws -> ExpectedResult {
    let schema = OperatorRows.schema
    let query = try ObjectQuery(className, where: QueryPredicate(parsing: text), order: order)
      .boundWithAnyOrder(to: schema)
    let keys = try keys(query, objects)
    let root = try #require(schema[className])
    let names = try #require(columns ?? OperatorRows.outputs[className])
    let rows = keys.map { key in
      let object = objects.object(className, key)
      return [ValueKey(.int(key))] + names.map { ValueKey(Self.value(object?[$0])) }
    }
    let paths = try names.map {
      try schema.resolvedPaths.path(PropertyPath([$0]), from: root, in: schema)
    }
    return ExpectedResult(query: query, keys: keys, paths: paths, rows: rows)
  }

  private static func value(_ member: Member?) -> Value {
    if case .value(let value)? = member { value } else { .null }
  }

  private func keys(_ query: BoundQuery, _ objects: PlainObjects) throws -> [Int64] {
    let oracle = ScanOracle(objects)
    guard let key = query.order.first, case .distance(let origin) = key.criterion else {
      return try oracle.keys(query)
    }
    return try oracle.matching(className, query.predicate).map { number in
      let member = objects.object(className, number)?[key.path.path.names[0]]
      return (angle: Self.angle(member, from: origin), key: number)
    }.sorted { first, second in
      if first.angle == second.angle { return first.key < second.key }
      return (first.angle < second.angle) == key.isAscending
    }.map(\.key)
  }

  /// The angle between a point, and a place or a geometry; infinity where it has no valid position.
  private static func angle(_ member: Member?, from origin: GeoPoint) -> Double {
    if case .value(.geometry(let geometry))? = member {
      let place = LocatedGeometry.point(longitude: origin.longitude, latitude: origin.latitude)
      return LocatedGeometry(geometry, edges: .spherical)?
        .distance(to: place, edges: .spherical).radians ?? .infinity
    }
    guard case .embedded(let spot)? = member, case .value(.string(let type))? = spot["type"],
      case .list(let coordinates)? = spot["coordinates"],
      let location = PointShape.location(
        type: type, coordinates: coordinates.compactMap(\.doubleValue))
    else { return .infinity }
    return greatCircleAngle(
      fromLongitude: origin.longitude, latitude: origin.latitude,
      toLongitude: location.longitude, latitude: location.latitude)
  }
}

// MARK: Pages

/// A part of a result.
struct Page: Sendable {
  var offset = 0
  var limit: Int?

  /// The elements of the page.
  func part<Element>(of all: [Element]) -> [Element] {
    Array(all.dropFirst(offset).prefix(limit ?? .max))
  }

  /// The line of the plan that cuts the result; nil where there is none.
  var step: String? {
    guard limit != nil || offset > 0 else { return nil }
    return "Limit" + (limit.map { " \($0)" } ?? "") + (offset > 0 ? " offset \(offset)" : "")
  }

  /// The pages of a result with some number of rows: none, one, more than there are, past the end.
  static func all(of count: Int) -> [Page] {
    [
      Page(), Page(limit: 0), Page(limit: 1), Page(offset: 3, limit: 5), Page(limit: max(1, count)),
      Page(limit: count + 7), Page(offset: max(0, count - 1), limit: 4),
      Page(offset: count, limit: 2), Page(offset: count + 10), Page(offset: 1, limit: .max),
    ]
  }

  /// Some of the pages.
  static func few(of count: Int) -> [Page] {
    [
      Page(), Page(limit: 1), Page(offset: 3, limit: 5), Page(offset: max(0, count - 1), limit: 4),
      Page(offset: count + 1, limit: 2),
    ]
  }
}

// MARK: Runs

extension OperatorCase {
  /// Runs the plans of some pages, and compares keys, columns and numbers of rows with the expected result.
  ///
  /// - Parameters:
  ///   - reader: The snapshot or the transaction.
  ///   - expected: The expected result.
  ///   - pages: The pages.
  ///   - threads: The number of threads that a scan may use.
  ///   - isSmall: Whether there is at most one row.
  /// - Returns: A text for each page whose plan or result is not the expected one.
  /// - Throws: The error of a read.
  func problems(
    _ reader: any StoreReader, _ expected: ExpectedResult, _ pages: [Page], threads: Int = 1,
    isSmall: Bool = false
  ) throws -> [String] {
    let catalog = StoreCatalog(reader)
    let planner = Planner(catalog, options: options)
    let executor = Executor(
      reader, schema: OperatorRows.schema,
      threads: QueryThreads(maximum: threads, minimumRows: 1), catalog: catalog)
    return try pages.compactMap { page in
      var query = expected.query
      (query.offset, query.limit) = (page.offset, page.limit)
      let plan = planner.plan(query)
      let counting = planner.plan(query.yielding(.count))
      let projecting = planner.plan(query.yielding(.columns(expected.paths)))
      let keys = page.part(of: expected.keys)
      let text = PlanText(plan).text()
      let found = try executor.keys(plan).keys
      let counts = [try executor.count(plan).count, try executor.count(counting).count]
      var problems = missingSteps(text, page, isSmall: isSmall).map { "no step '\($0)'" }
      if found != keys { problems.append("found \(found), expected \(keys)") }
      if counts != [keys.count, keys.count] {
        problems.append("counted \(counts), expected \(keys.count)")
      }
      if try Self.rows(of: projecting, executor) != page.part(of: expected.rows) {
        problems.append("other columns by\n\(PlanText(projecting).text())")
      }
      let hasSteps = hasSteps(page, isSmall: isSmall)
      for (plan, step) in [
        (counting, "Count"), (projecting, hasSteps ? projection : "Project "),
      ] where !PlanText(plan).text().hasPrefix(step) {
        problems.append("no step '\(step)' in\n\(PlanText(plan).text())")
      }
      guard !problems.isEmpty else { return nil }
      return "\(testDescription), \(page), \(threads) threads\n\(text)\n"
        + problems.joined(separator: "\n")
    }
  }

  /// Returns the steps that the text of a plan should have and lacks.
  private func missingSteps(_ text: String, _ page: Page, isSmall: Bool) -> [String] {
    let lines = text.split(separator: "\n").map { $0.drop { "├└─│ ".contains($0) } }
    var wanted = [page.step].compactMap(\.self)
    if page.limit == 0 { wanted.append("Nothing \(className)") }
    if hasSteps(page, isSmall: isSmall) { wanted += steps }
    return wanted.filter { step in !lines.contains { $0.hasPrefix(step) } }
  }

  /// Whether the plan of a page has the steps.
  private func hasSteps(_ page: Page, isSmall: Bool) -> Bool {
    guard page.limit != 0, !(isSmall && needsRows) else { return false }
    return switch pages {
    case .all: true
    case .limited: page.limit.map { !$0.addingReportingOverflow(page.offset).overflow } ?? false
    case .unlimited: page.limit == nil
    }
  }

  private static func rows(of plan: Plan, _ executor: Executor) throws -> [[ValueKey]] {
    var rows: [[ValueKey]] = []
    let statistics = try executor.forEachBatch(plan) { batch, columns, selected in
      for row in selected {
        rows.append(
          [ValueKey(.int(batch.key(row)))] + columns.map { ValueKey($0.value(row)) })
      }
    }
    #expect(statistics.answerRows == rows.count, "\(PlanText(plan).text())")
    return rows
  }
}
