import ArgumentParser
import CadastreStore

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Look for damage in a store: pages, indexes, links and counts.",
    discussion: """
      Prints 'ok', or one line for each problem and exit status 1. Changes nothing.

      EXAMPLE
        cadastre check a.cadastre
      """)

  @Argument(help: "The store.")
  var store: String

  func run() throws {
    let snapshot = try OpenStores.store(at: store, mustExist: true).snapshot()
    let problems = try StoreCheck(snapshot).problems()
    if problems.isEmpty {
      try Terminal.write("ok\n")
    } else {
      try Terminal.write(problems.map { $0 + "\n" }.joined())
      throw ExitCode.failure
    }
  }
}
