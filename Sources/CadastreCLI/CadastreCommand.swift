import ArgumentParser
import CadastreFormatting
import CadastreModel
import CadastrePredicate
import CadastreServeOptions
import Foundation

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
          "location GEOWITHIN geoCircle([2.3522, 48.8566], 0.0157)" --measure

      Results go to standard output, all other messages to standard error. Exit status: \
      0 success; 1 failure, the store is unchanged; 2 success, but an import rejected rows within \
      --max-rejects; 3 the store was changed, but the results could not be written; 64 usage error.

      --quiet, before or after the command, leaves only results and errors. Environment: \
      CADASTRE_QUIET=1 is --quiet; CADASTRE_FORMAT is the default of --format where objects or lines \
      are printed, such as csv or json; CADASTRE_TIMEOUT is how many seconds a database may send \
      nothing before a command ends; NO_COLOR leaves out colours.
      """,
    version: CommandLine.arguments.contains("--version")
      ? ProgramVersion.text : CadastreVersion.number,
    subcommands: [
      ImportCommand.self, QueryCommand.self, HeadCommand.self, SampleCommand.self,
      StatsCommand.self, AggregateCommand.self, JoinCommand.self, ExportCommand.self,
      ExplainCommand.self, SQLCommand.self, DeleteCommand.self, SetCommand.self, IndexCommand.self,
      RenameCommand.self, CopyCommand.self, DropCommand.self, PushCommand.self,
      PullCommand.self,
      SchemaCommand.self, InfoCommand.self,
      CheckCommand.self, CompactCommand.self, ServeCommand.self, DemoCommand.self,
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
    do {
      let arguments = argumentsWithoutQuiet()
      try RemoteDatabase.refuseKeywords(in: arguments)
      var command = try parseAsRoot(arguments)
      try command.run()
    } catch {
      end(withError: error)
    }
  }

  /// Returns the arguments without `--quiet`, which may follow any command, after it took effect.
  private static func argumentsWithoutQuiet() -> [String] {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let options = arguments.prefix { $0 != "--" }
    let rest = options.filter { $0 != "--quiet" }
    if rest.count < options.count { Terminal.isQuiet = true }
    return rest + arguments.dropFirst(options.count)
  }

  /// Returns the message for a word that is no subcommand but similar to one; nil for other words.
  private static func advice(_ word: String) -> String? {
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    guard !word.hasPrefix("-"), !names.contains(word),
      let nearest = NameSuggestion.nearest(to: word, among: names)
    else { return nil }
    return "there is no command '\(printable(word))'; did you mean '\(nearest)'?"
  }
}
