import CadastrePlanner

/// The details that `explain` adds to the shape of a plan.
public struct ExplainOptions: OptionSet, Sendable {
  /// One bit an option.
  public let rawValue: Int
  /// Makes a set of options from bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Estimated rows and cost.
  public static let estimates = ExplainOptions(rawValue: 1)
  /// The rejected access paths, with their cost.
  public static let candidates = ExplainOptions(rawValue: 2)
  /// The rules that rewrote the predicate.
  public static let rules = ExplainOptions(rawValue: 4)
  /// Measurements of a run; the query runs for them.
  public static let measured = ExplainOptions(rawValue: 8)
  /// Whether a query of the same shape was planned before: `shape: reused` or `shape: new`.
  public static let shape = ExplainOptions(rawValue: 16)
}

extension Results {
  /// Returns the plan of the query with details, one line per step, the last step first.
  ///
  ///     print(near.explain([.estimates, .measured]))
  ///
  /// A line notes an estimate that is wrong by a factor of ten or more.
  public func explain(_ options: ExplainOptions) -> String {
    queryResult.explain(options.printed, measuring: options.contains(.measured))
  }

  /// Returns the plan as JSON: `plan`, a tree of steps with `inputs`, `rules`, `rejected` and, if
  /// the query is run for it, `measured`.
  public func explainJSON(measured: Bool = false) -> String {
    queryResult.explainJSON(measuring: measured)
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
