import ArgumentParser
import CadastreDatasets
import CadastreGeometry
import CadastrePredicate

/// What `query` and `explain` are told about the question.
struct QuestionOptions: ParsableArguments {
  @Argument(help: "The store.")
  var store: String

  @Argument(help: "The class.")
  var className: String

  @Argument(help: "A predicate; without one, every object.")
  var predicate: String?

  @Option(
    name: .customLong("arg"),
    help: ArgumentHelp(
      "The value of $0, $1 …: a JSON literal, or @FILE with WKT or GeoJSON (repeatable).",
      valueName: "VALUE"))
  var arguments: [String] = []

  @Option(help: ArgumentHelp("The order.", valueName: "FIELD [asc|desc],…"))
  var sort: String?

  @Option(help: ArgumentHelp("Objects at most.", valueName: "N"))
  var limit: Int?

  @Option(help: ArgumentHelp("Objects to leave out first.", valueName: "N"))
  var offset = 0

  @Option(name: .customLong("edges"), help: "How the edges of boxes and polygons run.")
  private var edgeModel = Edges.spherical

  @Option(help: "on or off; off switches every access path but the scan off.")
  var indexes = Switch.on

  private enum Edges: String, ExpressibleByArgument, CaseIterable { case spherical, planar }

  /// How the edges of boxes and polygons run.
  var edges: EdgeModel { edgeModel == .planar ? .planar : .spherical }

  enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

  func validate() throws {
    guard limit ?? 0 >= 0, offset >= 0 else {
      throw ValidationError("--limit and --offset take no negative numbers")
    }
  }

  func question() throws -> StoreQuestion {
    try StoreQuestion(
      store: store, className: className, predicate: predicate,
      arguments: try arguments.map { try PredicateArgument(commandLine: $0) }, order: sort,
      offset: offset, limit: limit, edges: edges, usesIndexes: indexes == .on)
  }
}
