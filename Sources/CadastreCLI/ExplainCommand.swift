import ArgumentParser
import CadastreDatasets
import CadastrePlanner

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Print the plan of a query.",
    discussion: """
      One line for each step, the last step first. --measure also runs the query.

      EXAMPLE
        cadastre explain a.cadastre Airport "country == 'FR'" --measure --candidates
      """)

  @OptionGroup var options: QueryOptions

  @Flag(help: "Run the query and print the time and rows of each step.")
  var measure = false

  @Flag(help: "Print the access paths that were not chosen, with their costs.")
  var candidates = false

  @Option(help: "The output format; json is complete, including the candidates.")
  var format = Format.text

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  func run() throws {
    if let objects = try options.remote() {
      try RemoteDatabase.refuse([
        ("--measure", measure), ("--candidates", candidates), ("--format json", format == .json),
      ])
      return try Terminal.write(lines: try objects.explain() + "\n")
    }
    let query = try options.query()
    var print: PlanText.Options = [.estimates]
    if candidates { print.formUnion([.candidates, .rules]) }
    switch format {
    case .text: try Terminal.write(lines: try query.explain(print, measuring: measure) + "\n")
    case .json: try Terminal.write(try query.explainJSON(measuring: measure) + "\n")
    }
  }
}
