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

  @Argument(help: "The store.")
  var store: String

  @Flag(help: "Rebuild what can be worked out from the rows: indexes and counters.")
  var repair = false

  func run() throws {
    let file = try OpenStores.store(at: store, mustExist: true)
    let problems: [String]
    if repair {
      let report = try StoreRepair.run(file)
      try Terminal.write(report.done.map { $0 + "\n" }.joined())
      problems = report.left.map { "left: \($0)" }
    } else {
      problems = try StoreCheck(file.snapshot()).problems()
    }
    if problems.isEmpty {
      try Terminal.write("ok\n")
    } else {
      try Terminal.write(problems.map { $0 + "\n" }.joined())
      throw ExitCode.failure
    }
  }
}
