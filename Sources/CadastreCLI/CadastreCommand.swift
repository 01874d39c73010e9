import ArgumentParser
import Foundation

/// The program: a verb, then what it works on.
@main
struct CadastreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cadastre",
    abstract: "An object database with geography, in one SQLite file.",
    discussion: """
      EXAMPLES
        cadastre import airports.csv --store a.cadastre --into Airport \\
          --pk icao --index country
        cadastre query a.cadastre Airport "country == 'FR' AND elevation > 300" \\
          --limit 10
        cadastre explain a.cadastre Airport \\
          "location GEOWITHIN geoCircle([2.3522, 48.8566], 0.0157)" --measure

      Results go to standard output, everything else to standard error. Exit status: 0 done; \
      1 failed, nothing changed; 2 done, but rows were rejected within the allowance; 64 usage.
      """,
    version: "0.1.0",
    subcommands: [
      ImportCommand.self, QueryCommand.self, AggregateCommand.self, ExportCommand.self,
      ExplainCommand.self, IndexCommand.self, SchemaCommand.self, InfoCommand.self,
      CheckCommand.self, CompactCommand.self, DemoCommand.self,
    ])

  static func main() {
    // Whoever stops reading the results ends the program without a word, whatever it was started with.
    signal(SIGPIPE, SIG_DFL)
    main(nil)
  }
}
