import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastrePostgres
import CadastreStore

struct PushCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Copy classes of a store to a PostgreSQL database with PostGIS.",
    discussion: """
      Each class becomes a table with keys and indexes, in one transaction; tables of an earlier \
      push are replaced. The rows are read back and compared. The address is a URL as psql takes \
      it; the password file, the service file and the environment are respected.

      EXAMPLES
        cadastre push a.cadastre postgresql://me@localhost/places
        cadastre push a.cadastre postgresql:///places Airport
        cadastre query postgresql:///places Airport "country == 'FR'" --limit 5
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Argument(help: ArgumentHelp("The database.", valueName: "postgresql://…"))
  var database: String

  @Argument(
    help: ArgumentHelp("The classes; by default all.", valueName: "class"),
    completion: .custom(StoreCompletion.classNames))
  var classes: [String] = []

  func validate() throws { try RemoteDatabase.require(database) }

  func run() throws {
    guard let database = RemoteDatabase(database) else { return }
    let store = try OpenStores.store(at: store, mustExist: true)
    // The task below is the only user, and this one waits for it.
    nonisolated(unsafe) let push = try StorePush(
      try store.snapshot(), classes: classes.isEmpty ? nil : classes)
    let meter = RemoteProgress("sent")
    let start = ContinuousClock().now
    let copied = try Blocking.wait {
      let connection = try await PostgresConnection.open(database.address)
      return try await push.run(connection) { meter.show($0, $1) }
    }
    meter.end()
    RemoteProgress.report(copied, "pushed", to: database.name, since: start)
  }
}
