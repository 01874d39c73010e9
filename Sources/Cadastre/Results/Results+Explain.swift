import CadastrePlanner

/// What `explain` tells beside the shape of a plan.
public struct ExplainOptions: OptionSet, Sendable {
  /// One bit an option.
  public let rawValue: Int
  /// Makes a set of options from bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The rows that are expected, and what they are expected to cost.
  public static let estimates = ExplainOptions(rawValue: 1)
  /// The ways that were not taken, with their cost.
  public static let candidates = ExplainOptions(rawValue: 2)
  /// The rules that changed the question.
  public static let rules = ExplainOptions(rawValue: 4)
  /// What a run takes; the question is asked for that.
  public static let measured = ExplainOptions(rawValue: 8)
}

extension Results {
  /// How the question will be answered, one line a step, the last step first, with more about it.
  ///
  ///     print(near.explain([.estimates, .measured]))
  ///
  /// Where ten times more or fewer rows came than expected, the line says so.
  public func explain(_ options: ExplainOptions) -> String {
    queryResult.explain(options.printed, measuring: options.contains(.measured))
  }

  /// The same for programs, as JSON: `plan`, a tree of steps with `inputs`, `rules`, `rejected` and, if
  /// the question is asked for it, `measured`.
  public func explainJSON(measured: Bool = false) -> String {
    queryResult.explainJSON(measuring: measured)
  }
}

extension ExplainOptions {
  /// What is printed, whether or not the question is asked for it.
  fileprivate var printed: PlanText.Options {
    var printed: PlanText.Options = []
    if contains(.estimates) { printed.insert(.estimates) }
    if contains(.candidates) { printed.insert(.candidates) }
    if contains(.rules) { printed.insert(.rules) }
    return printed
  }
}
