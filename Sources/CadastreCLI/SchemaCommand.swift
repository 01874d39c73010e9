import ArgumentParser
import CadastreModel
import CadastreStore

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the classes of a store and their properties.",
    discussion: """
      EXAMPLE
        cadastre schema a.cadastre
      """)

  @Argument(help: "The store.")
  var store: String

  func run() throws {
    let snapshot = try OpenStores.store(at: store, mustExist: true).snapshot()
    for schema in snapshot.catalogue.schema.objectSchema {
      try Terminal.write(schema.description + "\n")
    }
  }
}
