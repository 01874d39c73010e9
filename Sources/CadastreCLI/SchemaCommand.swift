import ArgumentParser
import CadastreEngine
import CadastreModel
import CadastrePostgres
import CadastreRealmImport

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the classes of a store or of a Realm file, and their properties.",
    discussion: """
      EXAMPLES
        cadastre schema a.cadastre
        cadastre schema a.cadastre --format json
        cadastre schema app.realm --format swift
      """)

  @Argument(help: "The store or Realm file.", completion: .file())
  var store: String

  @Option(help: "The output format; swift prints model classes.")
  var format = Format.text

  @OptionGroup var key: RealmKeyOption

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, swift }

  func run() throws {
    let schema =
      if let database = RemoteDatabase(store) {
        try database.classes().schema
      } else if let file =
        try key.file(store)
      { try RealmClasses(file).schema } else {
        try StoreAdministration(reading: store).schema()
      }
    switch format {
    case .text:
      for schema in schema.objectSchema { try Terminal.write(lines: schema.summary + "\n") }
    case .json: try ReportFormat.json.write(schema.objectSchema.map(ClassReport.init))
    case .swift: try Terminal.write(source: SwiftModels(schema).text)
    }
  }
}
