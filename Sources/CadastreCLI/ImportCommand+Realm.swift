import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastreModel
import CadastreQuery
import CadastreRealmFile
import CadastreRealmImport
import CadastreStore
import Foundation

extension ImportCommand {
  /// Imports the classes of a Realm file.
  func importRealmFile(_ file: RealmFile) throws {
    try refuseOptionsOfRows()
    let names = classes?.split(separator: ",").map(String.init)
    let classes = try RealmClasses(file, names: names)
    let meter = ProgressMeter(isShown: progress ?? (Terminal.errorWidth != nil))
    let start = ContinuousClock().now
    let outcome = Result {
      try RealmImport(classes, file).run(storeAt: store, isDryRun: dryRun) { progress in
        meter.show(
          Importer.Progress(
            bytes: file.byteCount / max(1, progress.total) * progress.objects,
            totalBytes: file.byteCount, rows: progress.objects, phase: .storing))
      }
    }
    meter.end()
    let report = try outcome.get()
    if !dryRun { storeColumns(of: classes.schema.objectSchema.filter { !$0.isEmbedded }) }
    let rate = ObjectRate(report.total, seconds: (ContinuousClock().now - start).inSeconds)
    try Terminal.afterChange(isChanged: !dryRun) {
      if dryRun {
        for schema in classes.schema.objectSchema {
          try Terminal.write(lines: schema.summary + "\n")
        }
      }
      try print(report, rate)
    }
  }

  /// Stores the columns of the imported classes, whose objects are committed.
  private func storeColumns(of schemas: [ObjectSchema]) {
    guard columnStorage.storage != .never else { return }
    do {
      let administration = try StoreAdministration(path: store)
      for schema in schemas {
        try administration.storeColumns(columnStorage.storage, of: schema.className)
      }
    } catch {
      Terminal.say("note: \(Importer.missingColumns): \(error)")
    }
  }

  /// Throws a usage error for options that apply only to the rows of a class.
  private func refuseOptionsOfRows() throws {
    guard files.count == 1 else {
      throw ValidationError("a Realm file is imported alone; found \(files.count) files")
    }
    let options: [(String, Bool)] = [
      ("--into", className != nil), ("--format", format != nil), ("--pk", primaryKey != nil),
      ("--index", !indexes.isEmpty), ("--layer", layer != nil),
      ("--records", records != nil),
      ("--location", location != nil), ("--wkt", wktColumn != nil), ("--types", types != nil),
      ("--null", !nullTexts.isEmpty), ("--wrap", wrap), ("--upsert", upsert),
      ("--skip-existing", skipExisting),
      ("--where", predicate != nil), ("--bbox", bbox != nil), ("--limit", limit != nil),
      ("--offset", offset != 0), ("--rejects", rejects != nil), ("--max-rejects", maxRejects != 0),
      ("--reasons", reasons), ("--alter", alter), ("--delete-missing", deleteMissing),
      ("--columns", columns != nil),
    ]
    let used = options.filter(\.1).map(\.0) + table.settings.used
    for name in used {
      throw ValidationError(
        "\(name) does not apply to a Realm file, whose classes keep their names and properties")
    }
  }

  private func print(_ report: RealmImportReport, _ rate: ObjectRate) throws {
    if summary == .json {
      return try Terminal.write(
        try RealmSummary(report, rate).json + "\n")
    }
    for (name, count) in report.objectCounts.sorted(by: { $0.key < $1.key }) {
      Terminal.say("  \(printable(name)): \(grouped(count))")
    }
    for note in report.notes { Terminal.say("  \(note)") }
    let number = report.objectCounts.count
    let classCount = "\(grouped(number)) \(number == 1 ? "class" : "classes")"
    let version = report.schemaVersion.map { ", schema version \($0)" } ?? ""
    Terminal.say(
      "\(dryRun ? "would import" : "imported") \(classCount)\(version): "
        + "\(counted(report.total, "object")) \(rate)")
  }
}

/// The summary of an import of a Realm file.
private struct RealmSummary: Encodable {
  private let objects: [String: Int]
  private let notes: [String]
  private let schemaVersion: UInt64?
  private let seconds: Double
  private let objectsPerSecond: Int

  init(_ report: RealmImportReport, _ rate: ObjectRate) {
    objects = report.objectCounts
    notes = report.notes
    schemaVersion = report.schemaVersion
    seconds = (rate.seconds * 1e6).rounded() / 1e6
    objectsPerSecond = rate.objectsPerSecond
  }

  /// The summary as one JSON object.
  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}
