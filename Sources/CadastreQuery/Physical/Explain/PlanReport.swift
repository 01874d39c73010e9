import CadastrePredicate

/// A plan as a tree of steps with estimates and measurements, for text and for JSON.
package struct PlanReport: Encodable {
  /// A step, and the steps that it takes rows from.
  package struct Step: Encodable {
    /// The kind of the step.
    package var step: String
    /// The step in the user's names.
    package var text: String
    /// The planner's estimate; of access paths only.
    package var expected: Expected?
    /// The measurement of a run.
    package var measured: Measured?
    /// The steps that it takes rows from.
    package var inputs: [Step] = []
  }

  /// The estimate of a step.
  package struct Expected: Encodable {
    /// The number of rows that the step yields.
    package var rows: Double
    /// The cost in row reads, see `CostModel`.
    package var cost: Double
  }

  /// The measurement of a step.
  package struct Measured: Encodable {
    /// The number of rows that the step yielded.
    package var rows: Int
    /// The time in milliseconds; nil where it was not measured separately.
    package var milliseconds: Double?
    /// The factor between measured and estimated rows, where it is ten or more.
    package var timesOff: Double?
    /// Whether there were more rows than estimated, where the factor is given.
    package var isMore: Bool?
  }

  /// A rejected access path.
  package struct Rejected: Encodable {
    package var text: String
    package var expected: Expected
  }

  /// The measurement of a whole run.
  package struct Totals: Encodable {
    package var rows: Int
    package var milliseconds: Double
    package var rowsRead: Int
    package var threads: Int
    package var segmentsInMemory: Int
    package var segmentsRead: Int
    package var nodesRead: Int
    package var boxesTested: Int
    package var exactTests: Int
  }

  /// The last step.
  package var plan: Step
  /// The names of the rules that rewrote the predicate.
  package var rules: [String]
  /// The rejected access paths, the cheapest first.
  package var rejected: [Rejected]
  /// The measurement of a run; nil without one.
  package var measured: Totals?
  /// Whether a query of the same shape was planned before; not encoded, because it depends on earlier queries.
  package let reusesShape: Bool

  private enum CodingKeys: CodingKey {
    case plan, rules, rejected, measured
  }

  /// Describes a plan and, if there was one, a run of it.
  package init(_ plan: Plan, rules: [String] = [], measured: RunStatistics? = nil) {
    self.plan = Self.root(plan, measured, choosesByObjects: true)
    reusesShape = plan.reusesShape
    self.rules = rules
    rejected = plan.rejected.map {
      Rejected(text: "\($0.access)", expected: Expected($0.estimate))
    }
    self.measured = measured.map {
      Totals(
        rows: $0.answerRows, milliseconds: Self.milliseconds($0.seconds), rowsRead: $0.rowsRead,
        threads: $0.threads, segmentsInMemory: $0.segmentsInMemory,
        segmentsRead: $0.segmentsRead, nodesRead: $0.nodesRead, boxesTested: $0.boxesTested,
        exactTests: $0.exactTests)
    }
  }

  /// Describes a single step that no planner chose.
  package init(_ step: String, _ text: String) {
    plan = Step(step: step, text: text)
    rules = []
    rejected = []
    reusesShape = false
  }

  /// The steps of a plan with inner queries: the inner queries, and then the plan for few objects and that for more,
  /// or the one that a run chose.
  private static func choice(_ plan: Plan, _ last: Step) -> Step {
    var choice = Step(step: "Choose", text: "Choose by the number of objects", inputs: [])
    for initPlan in plan.initPlans {
      choice.inputs.append(
        Step(
          step: "InitPlan", text: "InitPlan \(initPlan.plan.query.className)",
          measured: initPlan.objects.map { Measured(rows: $0) },
          inputs: [root(initPlan.plan, nil, choosesByObjects: true)]))
      guard initPlan.objects == nil else { continue }
      let search = initPlan.index.map { "SpatialSearch \($0)" }
      choice.inputs.append(
        Step(
          step: initPlan.index == nil ? "Filter" : "SpatialSearch",
          text: (search ?? "Filter \(initPlan.relation.left)")
            + " for each of up to \(InitPlan.mostConstants) geometries"))
    }
    choice.inputs.append(last)
    return choice
  }

  private static func root(
    _ plan: Plan, _ measured: RunStatistics?, choosesByObjects: Bool = false
  ) -> Step {
    if choosesByObjects, !plan.initPlans.isEmpty { return choice(plan, root(plan, measured)) }
    var parts = measured?.partRows[...] ?? []
    var root = step(plan.access, &parts, plan.estimate)
    if let measured {
      root.measured = Measured(
        rows: measured.accessRows, milliseconds: milliseconds(measured.accessSeconds))
      root.measured?.compare(plan.estimate.rows)
    }
    let query = plan.query
    if !plan.filters.isEmpty {
      root = Step(
        step: "Filter", text: "Filter \(BoundPredicate.and(plan.filters).summary)",
        measured: measured.map { Measured(rows: $0.matchedRows) }, inputs: [root])
    }
    if plan.isSorted {
      let order = query.order.map(\.description).joined(separator: ", ")
      var text = "Sort \(order)"
      if case .orderedSearch(let index, _, _) = plan.access {
        text += " (presorted by \(index.path))"
      }
      root = Step(step: "Sort", text: text, inputs: [root])
    }
    if query.limit != nil || query.offset > 0 {
      let limit = query.limit.map { " \($0)" } ?? ""
      root = Step(
        step: "Limit", text: "Limit\(limit)" + (query.offset > 0 ? " offset \(query.offset)" : ""),
        measured: measured.map { Measured(rows: $0.answerRows) }, inputs: [root])
    }
    return withOutput(root, plan)
  }

  /// Adds the step that yields columns or a number; there is none where a query yields keys.
  private static func withOutput(_ root: Step, _ plan: Plan) -> Step {
    switch plan.query.output {
    case .keys: return root
    case .count: return Step(step: "Count", text: "Count", inputs: [root])
    case .columns(let paths):
      let names = paths.map(\.description).joined(separator: ", ")
      return Step(
        step: "Project", text: "Project \(names) (\(plan.output.name))", inputs: [root])
    }
  }

  private static func step(
    _ access: AccessPath, _ parts: inout ArraySlice<Int>, _ estimate: Estimate? = nil
  ) -> Step {
    var step = Step(
      step: access.kind.rawValue, text: "\(access)", expected: estimate.map(Expected.init))
    switch access {
    case .linkSearch(_, _, .found(let inner)), .linkedSearch(_, _, .found(let inner)):
      step.inputs = [root(inner, nil)]
    case .intersection(_, let ways), .union(_, let ways):
      for way in ways {
        let rows = parts.popFirst()
        var input = Self.step(way, &parts)
        input.measured = rows.map { Measured(rows: $0) }
        step.inputs.append(input)
      }
    case .complement(_, let way):
      let rows = parts.popFirst()
      var input = Self.step(way, &parts)
      input.measured = rows.map { Measured(rows: $0) }
      step.inputs = [input]
    case .nothing, .scan, .keyLookup, .indexSearch, .spatialSearch, .relationSearch,
      .distanceSearch,
      .pointSearch,
      .nearestSearch,
      .orderedSearch,
      .textSearch, .linkSearch, .linkedSearch:
      break
    }
    return step
  }

  /// To the hundredth.
  private static func milliseconds(_ seconds: Double) -> Double {
    (seconds * 1e5).rounded() / 100
  }
}

extension PlanReport.Expected {
  fileprivate init(_ estimate: Estimate) { self.init(rows: estimate.rows, cost: estimate.cost) }
}

extension PlanReport.Measured {
  /// Notes an estimate that is wrong by a factor of ten or more; a row more or less is ignored.
  fileprivate mutating func compare(_ expected: Double) {
    let ratio = (Double(rows) + 1) / (expected + 1)
    guard ratio >= 10 || ratio <= 0.1 else { return }
    timesOff = (max(ratio, 1 / ratio) * 10).rounded() / 10
    isMore = ratio > 1
  }
}
