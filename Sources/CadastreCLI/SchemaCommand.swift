import ArgumentParser
import CadastreModel
import CadastreStore

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the classes of a store and their properties.",
    discussion: """
      EXAMPLES
        cadastre schema a.cadastre
        cadastre schema a.cadastre --format json
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(help: "The output format.")
  var format = ReportFormat.text

  func run() throws {
    let snapshot = try OpenStores.store(at: store, mustExist: true).snapshot()
    guard format == .text else {
      return try format.write(snapshot.catalogue.schema.objectSchema.map(ClassReport.init))
    }
    for schema in snapshot.catalogue.schema.objectSchema {
      try Terminal.write(schema.description + "\n")
    }
  }
}
