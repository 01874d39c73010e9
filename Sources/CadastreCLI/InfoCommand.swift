import ArgumentParser
import CadastreDatasets
import CadastreGeometry
import CadastreModel
import CadastreStore
import Foundation

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Print what is in a store, how large it is, and what it runs on.",
    discussion: """
      EXAMPLE
        cadastre info a.cadastre
      """)

  @Argument(help: "The store.")
  var store: String

  func run() throws {
    let file = try OpenStores.store(at: store, mustExist: true)
    let snapshot = try file.snapshot()
    let used = grouped(try file.measure().used)
    var text = "store      \(store), \(grouped(size(store))) bytes, \(used) in use"
    let log = size(store + "-wal")
    text += log > 0 ? ", and a log of \(grouped(log)) bytes\n" : "\n"
    text += "commits    \(grouped(Int(snapshot.version)))\n"
    text += "libraries  SQLite \(SQLiteLibrary.version), GEOS \(GEOSLibrary.version)\n"
    if SQLiteLibrary.hasLogResetRace {
      text +=
        "           this SQLite can lose commits when a foreign tool checkpoints the store while it "
        + "is written;\n           Cadastre's own processes keep clear of each other\n"
    }
    let columns = file.columns.report
    text += "memory     columns take up to \(grouped(columns.budget)) bytes in each process"
    text += ", \(grouped(columns.byteCount)) in this one\n"
    for table in snapshot.catalogue.tables {
      let count = try snapshot.rowCount(table.schema.className)
      text +=
        "class      \(table.schema.className): \(grouped(count)) objects, table "
        + "\(table.tableName)\n"
      for index in table.valueIndexes {
        text += "  index    \(index.path)\(index.isUnique ? ", unique" : "")\n"
      }
      for index in table.spatialIndexes { text += "  index    \(index.path), spatial\n" }
    }
    try Terminal.write(text)
  }

  private func size(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }
}
