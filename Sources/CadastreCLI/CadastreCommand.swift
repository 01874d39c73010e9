import ArgumentParser
import CadastreColumnar
import CadastreDatasets
import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreSQLite
import CadastreServeOptions
import CadastreStore
import Foundation
import Synchronization

/// The command line program and its subcommands.
@main
struct CadastreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cadastre",
    abstract: "A spatial object database in one SQLite file.",
    discussion: """
      EXAMPLES
        cadastre import airports.csv --store a.cadastre --into Airport \\
          --pk icao --index country
        cadastre query a.cadastre Airport "country == 'FR' AND elevation > 300" \\
          --limit 10
        cadastre explain a.cadastre Airport \\
          "location GEOWITHIN geoCircle([2.3522, 48.8566], 0.0157)" --measured

      Results go to standard output, all other messages to standard error. Exit status: \
      0 success; 1 failure, the store is unchanged; 2 success, but an import rejected rows within \
      --max-rejects; 3 the store was changed, but the results could not be written; 64 usage error.

      --quiet, before or after the command, leaves only results and errors. Environment: \
      CADASTRE_QUIET=1 is --quiet; CADASTRE_FORMAT is the default of --format where objects or lines \
      are printed, such as csv or json; CADASTRE_TIMEOUT is how many seconds a database may send \
      nothing before a command ends; CADASTRE_HISTORY is how many megabytes of earlier values a store keeps for \
      'cadastre undo' (64; 0 keeps none); NO_COLOR leaves out colours.
      """,
    version: CommandLine.arguments.contains("--version")
      ? ProgramVersion.text : CadastreVersion.number,
    subcommands: [
      ImportCommand.self, InspectCommand.self, FormatsCommand.self, QueryCommand.self,
      HeadCommand.self, SampleCommand.self,
      StatsCommand.self, AggregateCommand.self, JoinCommand.self, ExportCommand.self,
      ExplainCommand.self, BenchCommand.self, SQLCommand.self, DeleteCommand.self, SetCommand.self,
      MapGeometryCommand.self, DissolveCommand.self, IndexCommand.self,
      RenameCommand.self, CopyCommand.self, DropCommand.self, HistoryCommand.self,
      UndoCommand.self, PushCommand.self, PullCommand.self,
      SchemaCommand.self, InfoCommand.self,
      CheckCommand.self, OptimizeCommand.self, CompactCommand.self, ServeCommand.self,
      DemoCommand.self,
    ])

  @Flag(help: "Print results and errors only, no messages and no progress.")
  var quiet = false

  static func main() {
    StandardDescriptors.openMissing()
    // When the reader of standard output closes the pipe, the program ends without a message, even
    // if its parent ignored SIGPIPE.
    signal(SIGPIPE, SIG_DFL)
    Interruption.removeTemporaryFiles()
    if let word = CommandLine.arguments.dropFirst().first, let advice = advice(word) {
      end(withError: ValidationError(advice))
    }
    if let name = Environment.invalidFormat {
      end(
        withError: ValidationError(
          "CADASTRE_FORMAT is '\(printable(name))'; expected table, csv, json or ndjson"))
    }
    if let text = Environment.invalidTimeout {
      let range = Environment.timeouts
      end(
        withError: ValidationError(
          "CADASTRE_TIMEOUT is '\(printable(text))'; expected seconds from \(range.lowerBound) to "
            + "\(range.upperBound)"))
    }
    if let text = Environment.invalidHistory {
      end(
        withError: ValidationError(
          "CADASTRE_HISTORY is '\(printable(text))'; expected megabytes from 0 to "
            + "\(Environment.historyMegabytes.upperBound)"))
    }
    CommandRecord.begin()
    do {
      let arguments = argumentsWithoutQuiet()
      try RemoteDatabase.refuseKeywords(in: arguments)
      var command = try parseAsRoot(arguments)
      try command.run()
      CommandRecord.end()
    } catch {
      end(withError: error)
    }
  }

  /// Applies `--quiet`, which may follow any command, and returns the other arguments.
  private static func argumentsWithoutQuiet() -> [String] {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let options = arguments.prefix { $0 != "--" }
    let rest = options.filter { $0 != "--quiet" }
    if rest.count < options.count { Terminal.isQuiet = true }
    return rest + arguments.dropFirst(options.count)
  }

  /// Returns a suggestion for a mistyped subcommand; nil for other words.
  private static func advice(_ word: String) -> String? {
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    guard !word.hasPrefix("-"), !names.contains(word),
      let nearest = NameSuggestion.nearest(to: word, among: names)
    else { return nil }
    return "there is no command '\(printable(word))'; did you mean '\(nearest)'?"
  }
}

/// The version of the program and of the libraries that it uses.
enum ProgramVersion {
  /// The text of `--version`.
  static var text: String {
    let libraries =
      [
        ("SQLite", SQLiteLibrary.version), ("GEOS", GEOSLibrary.version),
        ("zlib", CompressionLibraries.zlibVersion), ("zstd", CompressionLibraries.zstdVersion),
      ]
      + (CoordinateTransformation.libraryVersion.map { [("PROJ", $0)] } ?? [])
    return "\(CadastreVersion.number)\n"
      + libraries.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

/// The end of the program by a signal.
enum Interruption {
  private static let state = Mutex<String?>(nil)

  /// The last line that the program prints if a signal ends it; nil for none.
  static var lastLine: String? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Removes temporary files, and prints the last line, when SIGINT, SIGTERM or SIGHUP ends the program.
  ///
  /// Call this function before other threads start. They inherit the blocked signals, so that only the
  /// thread that is started here receives the signals, outside of a signal handler.
  static func removeTemporaryFiles() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for code in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(code) { sigaddset(&signals, code) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let blocked = signals
    Thread.detachNewThread {
      var signals = blocked
      var code: Int32 = 0
      guard sigwait(&signals, &code) == 0 else { return }
      TemporaryFiles.removeAll()
      if let line = lastLine {
        if Terminal.errorWidth != nil { Terminal.overwriteLine("") }
        Terminal.say(line)
      }
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      kill(getpid(), code)
    }
  }

  /// Returns whether the process ignores a signal, as under `nohup`.
  private static func isIgnored(_ code: Int32) -> Bool {
    var action = sigaction()
    sigaction(code, nil, &action)
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    // Handlers are function pointers, which Swift cannot compare; SIG_IGN is an address that no
    // function has.
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
