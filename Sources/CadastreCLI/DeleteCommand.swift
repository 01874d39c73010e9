import ArgumentParser
import CadastreDatasets
import CadastreFormatting

struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete the objects of a class that match a predicate.",
    discussion: """
      Embedded objects are deleted with their owners, and links to deleted objects become null. \
      TRUEPREDICATE matches all objects.

      EXAMPLES
        cadastre delete a.cadastre Airport "country == 'FR'" --dry-run
        cadastre delete a.cadastre Airport "elevation < 0"
      """)

  @OptionGroup var match: MatchOptions

  @Flag(help: "Print the number of objects, change nothing.")
  var dryRun = false

  func validate() throws { try match.requirePredicate() }

  func run() throws {
    let count = try match.change().delete(isDryRun: dryRun)
    Terminal.say(
      "\(dryRun ? "would delete" : "deleted") \(counted(count, "object")) of \(match.className)")
  }
}
