import ArgumentParser
import CadastreEngine
import CadastreModel

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
    let classes = try StoreAdministration(path: store).schema().objectSchema
    guard format == .text else {
      return try format.write(classes.map(ClassReport.init))
    }
    for schema in classes {
      try Terminal.write(schema.summary + "\n")
    }
  }
}
