import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastrePostgres
import CadastreStore
import Foundation

struct PushCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Copy classes of a store to a PostgreSQL database with PostGIS.",
    discussion: """
      Each class becomes a table with keys and indexes, in one transaction. The address is a URL as \
      psql takes it; the password file, the service file and the environment are respected.

      A table of an earlier push gets the changes of the store and keeps what others have added: \
      columns, views, triggers, rights. Rows that others have changed since this store last pushed \
      or pulled are named, and nothing is pushed: pull first, or overwrite them with --replace. Rows \
      that were sent are read back and compared.

      --partition-by divides the rows of one class: hash(FIELD) by a value, hash(_key) by the number \
      of the row, cell(FIELD, DEGREES) by the cell of a point, so that regions are searched in few \
      partitions. With --server the partitions are on other servers, which the database reaches \
      through postgres_fdw, and whose passwords it stores. --distribute spreads all tables by the \
      extension Citus and prints its statements.

      EXAMPLES
        cadastre push a.cadastre postgresql://me@localhost/places
        cadastre push a.cadastre postgresql:///places Airport
        cadastre query postgresql:///places Airport "country == 'FR'" --limit 5
        cadastre push a.cadastre postgresql:///places Airport \\
          --partition-by 'cell(location, 10)' --partitions 8
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Argument(help: ArgumentHelp("The database.", valueName: "postgresql://…"))
  var database: String

  @Argument(
    help: ArgumentHelp("The classes; by default all.", valueName: "class"),
    completion: .custom(StoreCompletion.classNames))
  var classes: [String] = []

  @Option(
    help: ArgumentHelp(
      "Divide the rows of the class into partitions.",
      valueName: "hash(FIELD)|cell(FIELD, DEGREES)"))
  var partitionBy: String?

  @Option(
    help: ArgumentHelp(
      "The number of partitions; by default one for each server, or 4.", valueName: "N"))
  var partitions: Int?

  @Option(
    name: .customLong("server"),
    help: ArgumentHelp(
      "The database of a partition on another server (repeatable).", valueName: "postgresql://…"))
  var servers: [String] = []

  @Flag(help: "Spread the tables by the extension Citus, and print its statements.")
  var distribute = false

  @Flag(help: "Overwrite what others have changed in the database.")
  var replace = false

  @OptionGroup var limit: TimeoutOption

  func validate() throws {
    try RemoteDatabase.require(database)
    for server in servers { try RemoteDatabase.require(server) }
    guard partitionBy != nil || (servers.isEmpty && partitions == nil) else {
      throw ValidationError("--server and --partitions need --partition-by")
    }
    guard partitionBy == nil || !distribute else {
      throw ValidationError("--distribute and --partition-by exclude each other")
    }
  }

  private var layout: StorePush.Layout {
    get throws {
      if distribute { return .citus }
      guard let partitionBy else { return .tables }
      return .partitions(
        try RowDivision(
          try PartitionExpression(partitionBy), count: partitions, servers: servers))
    }
  }

  func run() throws {
    guard let database = RemoteDatabase(database, timeout: limit.timeout) else { return }
    let store = try OpenStores.store(at: store, mustExist: true)
    // Safe because only the task below uses it, and this thread waits for that task.
    nonisolated(unsafe) let push = try StorePush(
      try store.snapshot(), classes: classes.isEmpty ? nil : classes, layout: try layout)
    if distribute {
      for statement in try push.citusStatements { try Terminal.write(source: statement + ";\n") }
    }
    let meter = RemoteProgress("sent")
    let start = ContinuousClock().now
    let replace = replace
    let copied = try database.run { connection in
      try await push.run(connection, replacing: replace) { meter.show($0, $1) }
    }
    meter.end()
    RemoteProgress.report(copied, "pushed", to: database.name, since: start)
  }
}

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
    let copied = try database.run { connection in
      let pull = try StorePull(try await RemoteClasses.read(connection), names: names)
      return try await pull.run(storeAt: path, connection, replacing: replace) {
        meter.show($0, $1)
      }
    }
    meter.end()
    RemoteProgress.report(copied, "pulled", to: store, since: start)
  }
}

/// The option of the subcommands that copy from or to a database.
struct TimeoutOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "End if the database sends nothing for so long; by default CADASTRE_TIMEOUT, or 3600.",
      valueName: "seconds"))
  var timeout: Int?

  func validate() throws {
    guard let timeout, !Environment.timeouts.contains(timeout) else { return }
    throw ValidationError(
      "--timeout must be between \(Environment.timeouts.lowerBound) and "
        + "\(Environment.timeouts.upperBound) seconds")
  }
}
