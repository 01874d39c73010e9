import ArgumentParser
import CadastreDatasets
import CadastreFormatting

struct SetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set fields of the objects of a class that match a predicate.",
    discussion: """
      A value is text as in a table; null denotes null, text in double quotes is a JSON string, and \
      a point is LON,LAT. The value of a number may be a calculation of fields, which reads the values before the \
      change. Fields of an embedded object are set where that object exists. TRUEPREDICATE matches all objects. A field \
      that --add adds is null in all other objects.

      EXAMPLES
        cadastre set a.cadastre Airport "icao == 'LFPG'" elevation=119 city=null
        cadastre set a.cadastre Airport "icao == 'LFPG'" location=2.55,49.01 \\
          --dry-run
        cadastre set a.cadastre Airport TRUEPREDICATE 'elevation=elevation / 3' \\
          --dry-run
        cadastre set a.cadastre Airport TRUEPREDICATE \\
          --add 'feet double = elevation * 3.28' --dry-run
      """)

  @OptionGroup var match: MatchOptions

  @Argument(
    help: ArgumentHelp("The fields and their values.", valueName: "field=value"),
    completion: .custom(StoreCompletion.fieldNames))
  var assignments: [String] = []

  @Option(
    help: ArgumentHelp(
      "Add an optional field, with a value or a calculation.", valueName: "FIELD TYPE=VALUE"))
  var add: [String] = []

  @Flag(help: "Print the number of objects, change nothing.")
  var dryRun = false

  func validate() throws {
    try match.requirePredicate()
    guard !assignments.isEmpty || !add.isEmpty else {
      throw ValidationError("expected FIELD=VALUE after the predicate, or --add")
    }
  }

  func run() throws {
    let count = try match.change().set(assignments, adding: add, isDryRun: dryRun)
    let fields = counted(assignments.count + add.count, "field")
    Terminal.say(
      "\(dryRun ? "would set" : "set") \(fields) of \(counted(count, "object")) of "
        + match.className)
  }
}

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
