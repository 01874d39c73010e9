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
      store gets them in one transaction. Objects that it has from an earlier push or pull are \
      updated; those that only the store has changed since stay for the next push. Objects that both \
      sides have changed are named, and nothing is pulled, except with --replace. Links to rows that \
      do not exist are left out and counted.

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

  @Flag(help: "Overwrite what has changed in the store.")
  var replace = false

  @OptionGroup var limit: TimeoutOption

  func validate() throws { try RemoteDatabase.require(database) }

  func run() throws {
    guard let database = RemoteDatabase(database, timeout: limit.timeout) else { return }
    let (path, names, replace) = (store, classes.isEmpty ? nil : classes, replace)
    let meter = RemoteProgress("stored")
    let start = ContinuousClock().now
    let copied = try Blocking.wait {
      let connection = try await database.connection()
      let pull = try StorePull(try await RemoteClasses.read(connection), names: names)
      return try await pull.run(storeAt: path, connection, replacing: replace) {
        meter.show($0, $1)
      }
    }
    meter.end()
    RemoteProgress.report(copied, "pulled", to: store, since: start)
  }
}
