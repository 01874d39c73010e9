import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastreStore
import Foundation

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List the changes that the command line has made to a store.",
    discussion: """
      Each change has a number, which 'cadastre undo' takes. The store keeps what is needed to undo \
      them, at most 64 megabytes, or as many as the environment variable CADASTRE_HISTORY says; \
      the oldest changes are given up first. Changes of other programs are not listed.

      EXAMPLES
        cadastre history a.cadastre
        cadastre history a.cadastre --format json --limit 1
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(help: ArgumentHelp("The greatest number of changes, the last ones.", valueName: "N"))
  var limit: Int?

  @Option(help: "The output format.")
  var format = ReportFormat.text

  func validate() throws {
    guard limit.map({ $0 >= 0 }) ?? true else {
      throw ValidationError("--limit: expected a number from 0")
    }
  }

  func run() throws {
    let entries = try OpenStores.readableStore(at: store).snapshot().recordedChanges()
    let changes = entries.prefix(limit ?? .max).map(Change.init)
    guard format == .text else { return try format.write(changes) }
    guard !entries.isEmpty else {
      return Terminal.say("the store has no recorded change")
    }
    let columns =
      [TableText.Column("change", isNumeric: true)]
      + ["time", "state", "objects", "command"].map { TableText.Column($0) }
    let rows = changes.map { change in
      [
        "\(change.change)", change.time, change.state, printable(change.objects),
        printable(change.command),
      ]
    }
    try Terminal.write(
      lines: TableText(columns: columns).text(rows, width: Terminal.width))
  }

  /// A change in the output.
  private struct Change: Encodable {
    let change: Int64
    let time: String
    let state: String
    let objects: String
    let command: String
    let undoes: Int64?
    let undoneBy: Int64?
    let bytes: Int?

    init(_ entry: StoreHistory.Entry) {
      change = entry.number
      time = entry.date.formatted(.iso8601)
      objects = entry.summary
      command = entry.command
      undoes = entry.undoes
      undoneBy = entry.undoneBy
      bytes = entry.bytes
      state =
        if let other = entry.undoneBy {
          "undone by \(other)"
        } else if entry.bytes == nil {
          "cannot be undone"
        } else {
          entry.undoes.map { "undoes \($0)" } ?? "can be undone"
        }
    }
  }
}

struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo a change that the command line has made to a store.",
    discussion: """
      Undoes the last change that was not undone, or the one with a number from 'cadastre history'. \
      Only what that change has named gets its former values; other objects and fields stay. Where these \
      objects were changed since, nothing is undone, and the message lists them. Undoing is a change \
      too, and can be undone by its number.

      EXAMPLES
        cadastre undo a.cadastre --dry-run
        cadastre undo a.cadastre
        cadastre undo a.cadastre 1
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Argument(help: "The number of the change; by default the last one that was not undone.")
  var change: Int64?

  @Flag(help: "Print what would be undone, change nothing.")
  var dryRun = false

  func run() throws {
    let report = try RecordedChanges.undo(change, in: store, isDryRun: dryRun)
    let counts = [
      (report.added, "added"), (report.changed, "changed"), (report.deleted, "deleted"),
    ].filter { $0.0 > 0 }.map { "\(counted($0.0, "object")) \($0.1)" }
    Terminal.say(
      "\(dryRun ? "would undo" : "undid") change \(report.entry.number) (\(printable(report.entry.command))): "
        + (counts.isEmpty ? printable(report.entry.summary) : listed(counts)))
  }
}

/// The command line as the record of a change.
enum CommandRecord {
  /// The subcommands whose changes are not recorded, because they do not end or change no store.
  private static let others: Set = ["serve", "demo"]

  /// Records the changes of this process with its command line, in which passwords are replaced.
  static func begin() {
    let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--quiet" }
    guard let command = arguments.first, !others.contains(command) else { return }
    let words = ["cadastre"] + arguments.map { quoted(withoutPassword($0)) }
    RecordedChanges.record(
      as: words.joined(separator: " "), limit: Environment.historyBytes)
  }

  /// Says that the change of this process cannot be undone, if it is so.
  static func end() {
    guard RecordedChanges.hasUnrecorded else { return }
    Terminal.say(
      "note: 'cadastre undo' cannot undo this change; CADASTRE_HISTORY says how many megabytes of earlier values a "
        + "store keeps")
  }

  /// Returns an argument whose address has no password.
  static func withoutPassword(_ argument: String) -> String {
    guard let scheme = argument.range(of: "://") else { return argument }
    let rest = argument[scheme.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    var text = argument
    if let end = authority.lastIndex(of: "@"), let colon = authority[..<end].firstIndex(of: ":") {
      text.replaceSubrange(argument.index(after: colon)..<end, with: "***")
    }
    while let found = text.range(
      of: "(?<=[?&]password=)(?!\\*\\*\\*)[^&]*", options: .regularExpression), !found.isEmpty
    {
      text.replaceSubrange(found, with: "***")
    }
    return text
  }

  /// Returns an argument as a shell reads it.
  private static func quoted(_ argument: String) -> String {
    let plain = argument.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0)
        || "-_./:=,@+%".unicodeScalars.contains($0)
    }
    guard !plain || argument.isEmpty else { return argument }
    if argument.contains("'"), !argument.contains(where: { "\"$`\\!".contains($0) }) {
      return "\"\(argument)\""
    }
    return "'" + argument.replacingOccurrences(of: "'", with: "'\\''") + "'"
  }
}
