import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastreQuery

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a store for corruption: pages, indexes, links, points and counts.",
    discussion: """
      Prints 'ok', or one line for each problem and exits with status 1. Changes nothing. Notes \
      name the views and triggers of other programs, which have no effect.

      --repair rebuilds wrong indexes and counters from the rows, in one transaction; it adds, \
      removes and changes no object. It prints what it rebuilt, then the problems that remain.

      EXAMPLES
        cadastre check a.cadastre
        cadastre check a.cadastre --repair
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Flag(help: "Rebuild indexes and counters from the rows.")
  var repair = false

  @Option(help: "The output format.")
  var format = ReportFormat.text

  func run() throws {
    // A backup by a hard link can be checked, but not changed.
    let administration =
      repair
      ? try StoreAdministration(path: store) : try StoreAdministration(reading: store)
    var done: [String] = []
    let problems: [String]
    if repair {
      (done, problems) = try administration.repair()
    } else {
      problems = try administration.problems()
    }
    let notes = try administration.foreignParts()
    try Terminal.afterChange(isChanged: !done.isEmpty) {
      try write(Report(done: done, notes: notes, problems: problems))
    }
    if !problems.isEmpty { throw ExitCode.failure }
  }

  private func write(_ report: Report) throws {
    guard format == .text else { return try format.write(report) }
    let problems = report.problems.map { repair ? "not repaired: \($0)" : $0 }
    let lines =
      report.done + report.notes.map { "note: \($0)" } + (problems.isEmpty ? ["ok"] : problems)
    try Terminal.write(lines: lines.map { printable($0) + "\n" }.joined())
  }

  private struct Report: Encodable {
    let done: [String]
    let notes: [String]
    let problems: [String]
  }
}

struct OptimizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "optimize",
    abstract: "Store the columns of large classes, which later queries read faster than rows.",
    discussion: """
      The first queries of a process read stored columns instead of rows. Later writes keep them \
      valid; new objects are in rows only until the next call. Other processes may have the store \
      open. Earlier versions of Cadastre refuse a store with columns.

      EXAMPLES
        cadastre optimize a.cadastre
        cadastre optimize a.cadastre --store-columns never
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @OptionGroup var columns: ColumnStorageOption

  func run() throws {
    let administration = try StoreAdministration(path: store)
    let before = try administration.size()
    try administration.storeColumns(columns.storage)
    let after = try administration.size()
    try Terminal.write(
      "before  \(grouped(before.used)) bytes in use\nafter   \(grouped(after.used)) bytes in use\n")
  }
}

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Return the unused space of a store to the file system.",
    discussion: """
      A store reuses the space of deleted objects, but does not shrink by itself. Other processes \
      may have the store open; the file shrinks when the last read of an older version ends. \
      Needs free disk space for two copies of the bytes in use. Stores the columns of large \
      classes first, as 'cadastre optimize'.

      EXAMPLE
        cadastre compact a.cadastre
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @OptionGroup var columns: ColumnStorageOption

  func run() throws {
    let administration = try StoreAdministration(path: store)
    let before = try administration.size()
    try administration.compact(storing: columns.storage)
    let after = try administration.size()
    try Terminal.write(
      "before  \(grouped(before.total)) bytes, \(grouped(before.used)) in use\n"
        + "after   \(grouped(after.total)) bytes\n")
    if after.total > after.used * 2 {
      Terminal.say("A process still reads an older version; the file shrinks when that read ends.")
    }
  }
}
