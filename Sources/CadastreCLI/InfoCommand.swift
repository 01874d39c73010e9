import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreStore
import Foundation

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
    let file = try OpenStores.store(at: store, mustExist: true)
    let snapshot = try file.snapshot()
    let columns = file.columns.report
    let report = StoreReport(
      store: store, bytes: size(store), usedBytes: try file.measure().used,
      logBytes: size(store + "-wal"), commits: Int(snapshot.version),
      sqlite: SQLiteLibrary.version, geos: GEOSLibrary.version,
      columnMemoryLimit: columns.budget, columnMemory: columns.byteCount,
      classes: try snapshot.catalogue.tables.map { table in
        StoreReport.Table(
          name: table.schema.className, objects: try snapshot.rowCount(table.schema.className),
          table: table.tableName,
          indexes: table.valueIndexes.map {
            .init(path: $0.path.description, kind: $0.isUnique ? .unique : .value)
          } + table.spatialIndexes.map { .init(path: $0.path.description, kind: .spatial) }
            + table.textIndexes.map { .init(path: $0.path.description, kind: .text) })
      })
    switch format {
    case .json: try format.write(report)
    case .text: try Terminal.write(text(report))
    }
  }

  private func text(_ report: StoreReport) -> String {
    var text = "store      \(report.store), \(grouped(report.bytes)) bytes, "
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
      text += "class      \(table.name): \(grouped(table.objects)) objects, table \(table.table)\n"
      for index in table.indexes {
        text +=
          "  index    \(index.path)\(index.kind == .value ? "" : ", \(index.kind.rawValue)")\n"
      }
    }
    return text
  }

  private func size(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }
}

/// The contents and the size of a store.
private struct StoreReport: Encodable {
  struct Index: Encodable {
    enum Kind: String, Encodable {
      case value, unique, spatial
      case text = "full text"
    }

    let path: String
    let kind: Kind
  }

  struct Table: Encodable {
    let name: String
    let objects: Int
    let table: String
    let indexes: [Index]
  }

  let store: String
  let bytes: Int
  let usedBytes: Int
  let logBytes: Int
  let commits: Int
  let sqlite: String
  let geos: String
  let columnMemoryLimit: Int
  let columnMemory: Int
  let classes: [Table]
}
