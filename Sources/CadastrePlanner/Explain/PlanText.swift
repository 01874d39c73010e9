import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// What a run of a plan measured.
package struct RunStatistics: Hashable, Sendable {
  /// Rows that the access path gave.
  package var accessRows = 0
  /// Rows left after the filters.
  package var matchedRows = 0
  /// Rows of the answer.
  package var answerRows = 0
  /// Rows read from the table.
  package var rowsRead = 0
  /// Nodes of a spatial index read.
  package var nodesRead = 0
  /// Points asked one by one for their exact place.
  package var exactTests = 0
  /// Time from the first step to the answer.
  package var seconds = 0.0

  /// Nothing measured yet.
  package init() {}
}

/// Prints plans: one line a node, in the user's names, the last step first.
package struct PlanText {
  /// What is printed beside the shape of the plan.
  package struct Options: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Expected rows and cost.
    package static let estimates = Options(rawValue: 1)
    /// The ways that were not taken, and why.
    package static let candidates = Options(rawValue: 2)
  }

  private let plan: Plan

  /// Prepares to print a plan.
  package init(_ plan: Plan) { self.plan = plan }

  /// The plan as a tree of lines.
  ///
  /// - Parameters:
  ///   - options: What to print beside the shape.
  ///   - measured: What a run measured; nil without a run.
  /// - Returns: Lines without a line break at the end.
  package func text(_ options: Options = [], measured: RunStatistics? = nil) -> String {
    var lines: [String] = []
    for (depth, node) in nodes(options, measured).enumerated() {
      let indent = depth == 0 ? "" : String(repeating: "   ", count: depth - 1) + "└─ "
      lines.append(indent + node)
    }
    if options.contains(.candidates) {
      for candidate in plan.rejected {
        lines.append("rejected: \(Self.line(candidate.access)) \(Self.note(candidate.estimate))")
      }
    }
    if let measured { lines.append(Self.totals(measured)) }
    return lines.joined(separator: "\n")
  }

  private func nodes(_ options: Options, _ measured: RunStatistics?) -> [String] {
    var nodes: [String] = []
    let query = plan.query
    if query.limit != nil || query.offset > 0 {
      nodes.append(cut(query) + Self.note(measured?.answerRows))
    }
    if !query.order.isEmpty {
      nodes.append("Sort \(query.order.map(\.description).joined(separator: ", "))")
    }
    if !plan.filters.isEmpty {
      nodes.append("Filter \(QueryPredicate.and(plan.filters))" + Self.note(measured?.matchedRows))
    }
    var access = Self.line(plan.access)
    if options.contains(.estimates) { access += " " + Self.note(plan.estimate) }
    nodes.append(access + Self.note(measured?.accessRows))
    switch plan.access {
    case .linkSearch(_, _, .found(let inner)), .linkedSearch(_, _, _, .found(let inner)):
      nodes += PlanText(inner).nodes(options, nil)
    default: break
    }
    return nodes
  }

  private func cut(_ query: ObjectQuery) -> String {
    let limit = query.limit.map { " \($0)" } ?? ""
    return "Limit\(limit)" + (query.offset > 0 ? " offset \(query.offset)" : "")
  }

  // MARK: Lines

  /// The line of an access path.
  package static func line(_ access: AccessPath) -> String {
    switch access {
    case .nothing(let className): "Nothing \(className)"
    case .scan(let className): "Scan \(className)"
    case .keyLookup(let className, let path, let values):
      "KeyLookup \(className).\(path) \(keys(values))"
    case .indexSearch(let className, let path, let ranges):
      "IndexSearch \(className).\(path) "
        + (ranges.isEmpty ? "nothing" : shortened(ranges.map(interval)))
    case .spatialSearch(let className, let within):
      "SpatialSearch \(className).\(within.path) within"
        + "\(within.edges == .planar ? " planar" : "") \(shortened(within.shape.description))"
    case .nearestSearch(let className, let path, let origin):
      "NearestSearch \(className).\(path) from [\(origin.longitude), \(origin.latitude)]"
    case .orderedSearch(let className, let path, let isAscending):
      "OrderedSearch \(className).\(path) \(isAscending ? "ascending" : "descending")"
    case .placeSearch(let className, let path, let longitude, let latitude):
      "SpatialSearch \(className).\(path) at [\(longitude), \(latitude)]"
    case .textSearch(let className, let path, let pattern):
      "TextSearch \(className).\(path) for \(pattern)"
    case .linkSearch(let className, let property, .objects(let objects)):
      "LinkSearch \(className).\(property) to "
        + shortened(objects.map { "\(Operand.object($0))" })
    case .linkSearch(let className, let property, .found(let plan)):
      "LinkSearch \(className).\(property) to objects of \(plan.query.className)"
    case .linkedSearch(let className, let origin, let property, .objects(let objects)):
      "LinkSearch \(className) from \(origin).\(property) of "
        + shortened(objects.map { "\(Operand.object($0))" })
    case .linkedSearch(let className, let origin, let property, .found):
      "LinkSearch \(className) from \(origin).\(property)"
    }
  }

  private static func keys(_ values: [Value]) -> String {
    values.count == 1
      ? "== \(Operand.value(values[0]))"
      : "in {" + shortened(values.map { "\(Operand.value($0))" }) + "}"
  }

  /// A range as an interval, `(500, 900]`, or `== 5` for a single value.
  private static func interval(_ range: ValueRange) -> String {
    if let single = range.single { return "== \(Operand.value(single))" }
    let lower = range.lower.map { ($0.isIncluded ? "[" : "(") + "\(Operand.value($0.value))" }
    let upper = range.upper.map { "\(Operand.value($0.value))" + ($0.isIncluded ? "]" : ")") }
    return "\(lower ?? "(…"), \(upper ?? "…)")"
  }

  private static func shortened(_ texts: [String]) -> String {
    let shown = texts.prefix(8).joined(separator: ", ")
    return texts.count > 8 ? shown + ", … \(texts.count) in all" : shown
  }

  /// Long regions keep their beginning.
  private static func shortened(_ text: String) -> String {
    text.count > 160 ? text.prefix(150) + "… (\(text.count) characters)" : text
  }

  private static func note(_ estimate: Estimate) -> String {
    "(rows ~\(rounded(estimate.rows)), cost ~\(rounded(estimate.cost)))"
  }

  private static func note(_ rows: Int?) -> String { rows.map { " (measured rows \($0))" } ?? "" }

  private static func totals(_ measured: RunStatistics) -> String {
    let milliseconds = (measured.seconds * 1e5).rounded() / 100
    return "measured: \(measured.answerRows) rows in \(milliseconds) ms, \(measured.rowsRead) rows "
      + "read, \(measured.nodesRead) index nodes read, \(measured.exactTests) exact point tests"
  }

  /// Three figures at most: an estimate has no more.
  private static func rounded(_ value: Double) -> String {
    guard value.isFinite, value < 1e15 else { return "\(value)" }
    var unit = 1.0
    while value / unit >= 1000 { unit *= 10 }
    return String(Int((value / unit).rounded() * unit))
  }
}
