import ArgumentParser
import CadastreDatasets
import CadastrePlanner

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Print how a question will be answered.",
    discussion: """
      One line a step, the last step first. --measure also runs the query.

      EXAMPLE
        cadastre explain a.cadastre Airport "country == 'FR'" --measure --candidates
      """)

  @OptionGroup var options: QueryOptions

  @Flag(help: "Run the question and print what it took.")
  var measure = false

  @Flag(help: "Print the ways that were not taken, with their cost.")
  var candidates = false

  @Option(help: "text or json; json tells all there is, candidates included.")
  var format = Format.text

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  func run() throws {
    let query = try options.query()
    var print: PlanText.Options = [.estimates]
    if candidates { print.formUnion([.candidates, .rules]) }
    let text =
      switch format {
      case .text: try query.explain(print, measuring: measure)
      case .json: try query.explainJSON(measuring: measure)
      }
    try Terminal.write(text + "\n")
  }
}
