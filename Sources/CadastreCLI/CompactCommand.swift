import ArgumentParser
import CadastreDatasets
import CadastreEngine
import CadastreFormatting

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Return the unused space of a store to the file system.",
    discussion: """
      A store reuses the space of deleted objects, but does not shrink by itself. Other processes \
      may have the store open; the file shrinks when the last read of an older version ends. \
      Needs free disk space for two copies of the bytes in use.

      EXAMPLE
        cadastre compact a.cadastre
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  func run() throws {
    let administration = try StoreAdministration(path: store)
    let before = try administration.size()
    try administration.compact()
    let after = try administration.size()
    try Terminal.write(
      "before  \(grouped(before.total)) bytes, \(grouped(before.used)) in use\n"
        + "after   \(grouped(after.total)) bytes\n")
    if after.total > after.used * 2 {
      Terminal.say("A process still reads an older version; the file shrinks when that read ends.")
    }
  }
}
