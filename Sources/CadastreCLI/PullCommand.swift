import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastrePostgres
import CadastreStore
import Foundation

struct PullCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Copy classes of a PostgreSQL database to a store.",
    discussion: """
      The database has the classes that cadastre push copied there, with all changes since. The \
      store gets new classes in one transaction; it must not have classes of the same names.

      EXAMPLES
        cadastre pull postgresql:///places b.cadastre
        cadastre pull postgresql:///places b.cadastre Airport
      """)

  @Argument(help: ArgumentHelp("The database.", valueName: "postgresql://…"))
  var database: String

  @Argument(help: "The store; created if it does not exist.", completion: .file())
  var store: String

  @Argument(help: ArgumentHelp("The classes; by default all.", valueName: "class"))
  var classes: [String] = []

  @OptionGroup var limit: TimeoutOption

  func validate() throws { try RemoteDatabase.require(database) }

  func run() throws {
    guard let database = RemoteDatabase(database, timeout: limit.timeout) else { return }
    let (path, names) = (store, classes.isEmpty ? nil : classes)
    let meter = RemoteProgress("stored")
    let start = ContinuousClock().now
    let copied = try Blocking.wait {
      let connection = try await database.connection()
      let pull = try StorePull(try await RemoteClasses.read(connection), names: names)
      return try await pull.run(storeAt: path, connection) { meter.show($0, $1) }
    }
    meter.end()
    RemoteProgress.report(copied, "pulled", to: store, since: start)
  }
}
