import ArgumentParser
import CadastreEngine

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a store for corruption: pages, indexes, links, points and counts.",
    discussion: """
      Prints 'ok', or one line for each problem and exits with status 1. Changes nothing.

      --repair rebuilds wrong indexes and counters from the rows, in one transaction; it adds, \
      removes and changes no object. It prints what it rebuilt, then the problems that remain.

      EXAMPLES
        cadastre check a.cadastre
        cadastre check a.cadastre --repair
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Flag(help: "Rebuild indexes and counters from the rows.")
  var repair = false

  @Option(help: "The output format.")
  var format = ReportFormat.text

  func run() throws {
    let administration = try StoreAdministration(path: store)
    var done: [String] = []
    let problems: [String]
    if repair {
      (done, problems) = try administration.repair()
    } else {
      problems = try administration.problems()
    }
    switch format {
    case .json: try format.write(Report(done: done, problems: problems))
    case .text:
      let lines = problems.isEmpty ? ["ok"] : problems.map { repair ? "not repaired: \($0)" : $0 }
      try Terminal.write((done + lines).map { $0 + "\n" }.joined())
    }
    if !problems.isEmpty { throw ExitCode.failure }
  }

  private struct Report: Encodable {
    let done: [String]
    let problems: [String]
  }
}
