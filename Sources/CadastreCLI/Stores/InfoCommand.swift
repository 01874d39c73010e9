import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastreGeometry
import CadastrePostgres
import CadastreQuery
import CadastreSQLite

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Print the contents and the size of a store, and the versions of the libraries.",
    discussion: """
      EXAMPLES
        cadastre info a.cadastre
        cadastre info a.cadastre --format json
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(help: "The output format.")
  var format = ReportFormat.text

  func run() throws {
    if let database = RemoteDatabase(store) { return try format.write(of: database) }
    let report = StoreReport(
      store: store, contents: try StoreAdministration(reading: store).contents())
    switch format {
    case .json: try format.write(report)
    case .text: try Terminal.write(lines: text(report))
    }
  }

  private func text(_ report: StoreReport) -> String {
    var text = "store      \(printable(report.store)), \(grouped(report.bytes)) bytes, "
    text += "\(grouped(report.usedBytes)) in use"
    text += report.logBytes > 0 ? ", and a log of \(grouped(report.logBytes)) bytes\n" : "\n"
    text += "commits    \(grouped(report.commits))\n"
    text += "libraries  SQLite \(report.sqlite), GEOS \(report.geos)\n"
    if SQLiteLibrary.hasLogResetRace {
      text +=
        "           this SQLite can lose commits if a foreign tool checkpoints the store during a "
        + "write;\n           Cadastre's own processes exclude each other\n"
    }
    text +=
      "memory     cached columns use up to \(grouped(report.columnMemoryLimit)) bytes per process"
    text += ", \(grouped(report.columnMemory)) in this one\n"
    for table in report.classes {
      text += "class      \(printable(table.name)): \(grouped(table.objects)) objects, "
      text += "table \(printable(table.table))\n"
      for index in table.indexes {
        text +=
          "  index    \(printable(index.path))\(index.kind == .value ? "" : ", \(index.kind.rawValue)")\n"
      }
    }
    return text
  }
}

extension ReportFormat {
  /// Prints the classes of a database.
  fileprivate func write(of database: RemoteDatabase) throws {
    let classes = try database.counts()
    switch self {
    case .json:
      try write(
        DatabaseReport(
          database: database.name,
          classes: classes.map { DatabaseReport.Table(name: $0.className, objects: $0.count) }))
    case .text:
      var text = "database   \(printable(database.name))\n"
      for entry in classes {
        text += "class      \(printable(entry.className)): \(counted(entry.count, "object"))\n"
      }
      try Terminal.write(lines: text)
    }
  }
}

/// The contents of a database.
private struct DatabaseReport: Encodable {
  let database: String
  let classes: [Table]

  /// A class.
  struct Table: Encodable {
    let name: String
    let objects: Int
  }
}

/// The contents and the size of a store.
private struct StoreReport: Encodable {
  let store: String
  let bytes: Int
  let usedBytes: Int
  let logBytes: Int
  let commits: Int
  let sqlite: String
  let geos: String
  let columnMemoryLimit: Int
  let columnMemory: Int
  let classes: [StoreContents.Table]

  init(store: String, contents: StoreContents) {
    self.store = store
    bytes = contents.size.file
    usedBytes = contents.size.used
    logBytes = contents.size.log
    commits = contents.commits
    sqlite = SQLiteLibrary.version
    geos = GEOSLibrary.version
    columnMemoryLimit = contents.columnMemoryLimit
    columnMemory = contents.columnMemory
    classes = contents.classes
  }
}
