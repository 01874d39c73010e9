import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastreStore

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Give the unused space of a store back to the system.",
    discussion: """
      What deleted objects leave is kept for new ones until then. Others may have the store open; \
      the file shrinks once nobody reads what was there before. Needs room for two copies of what \
      is in use.

      EXAMPLE
        cadastre compact a.cadastre
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  func run() throws {
    let file = try OpenStores.store(at: store, mustExist: true)
    let before = try file.measure()
    try file.compact()
    let after = try file.measure()
    try Terminal.write(
      "before  \(grouped(before.total)) bytes, \(grouped(before.used)) in use\n"
        + "after   \(grouped(after.total)) bytes\n")
    if after.total > after.used * 2 {
      Terminal.say("Somebody still reads what was there before; the file shrinks after that.")
    }
  }
}
