import ArgumentParser
import CadastreStore

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Look for damage in a store: pages, indexes, links, places and counts.",
    discussion: """
      Prints 'ok', or one line for each problem and exit status 1, and changes nothing.

      With --repair, indexes and counters that are wrong are rebuilt from the rows, in one \
      transaction; no object is added, removed or changed. Prints what was done, then what is \
      still wrong.

      EXAMPLES
        cadastre check a.cadastre
        cadastre check a.cadastre --repair
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Flag(help: "Rebuild what can be worked out from the rows: indexes and counters.")
  var repair = false

  @Option(help: "How to print the problems.")
  var format = ReportFormat.text

  func run() throws {
    let file = try OpenStores.store(at: store, mustExist: true)
    var done: [String] = []
    let problems: [String]
    if repair {
      let report = try StoreRepair.run(file)
      done = report.done
      problems = report.left
    } else {
      problems = try StoreCheck(file.snapshot()).problems()
    }
    switch format {
    case .json: try format.write(Report(done: done, problems: problems))
    case .text:
      let lines = problems.isEmpty ? ["ok"] : problems.map { repair ? "left: \($0)" : $0 }
      try Terminal.write((done + lines).map { $0 + "\n" }.joined())
    }
    if !problems.isEmpty { throw ExitCode.failure }
  }

  private struct Report: Encodable {
    let done: [String]
    let problems: [String]
  }
}
