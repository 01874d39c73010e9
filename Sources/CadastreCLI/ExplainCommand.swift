import ArgumentParser
import CadastreDatasets
import CadastrePlanner

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Print how a question will be answered.",
    discussion: """
      One line a step, the last step first. --measure also runs the question.

      EXAMPLE
        cadastre explain a.cadastre Airport "country == 'FR'" --measure --candidates
      """)

  @OptionGroup var options: QuestionOptions

  @Flag(help: "Run the question and print what it took.")
  var measure = false

  @Flag(help: "Print the ways that were not taken, with their cost.")
  var candidates = false

  func run() throws {
    var print: PlanText.Options = [.estimates]
    if candidates { print.insert(.candidates) }
    try Terminal.write(options.question().explain(print, measuring: measure) + "\n")
  }
}
