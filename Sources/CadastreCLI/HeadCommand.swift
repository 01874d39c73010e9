import ArgumentParser
import CadastreDatasets

struct HeadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "head",
    abstract: "Print the first objects of a class.",
    discussion: """
      EXAMPLES
        cadastre head a.cadastre Airport
        cadastre head a.cadastre Airport "country == 'FR'" --limit 3
      """)

  @OptionGroup var match: MatchOptions

  @Option(help: ArgumentHelp("The number of objects.", valueName: "N"))
  var limit = 10

  @Option(help: "The output format.")
  var format = Environment.format(TableOutputFormat.table)

  @OptionGroup var formulas: FormulaOption

  func validate() throws {
    try formulas.check(isCSV: format == .csv)
    guard limit >= 0 else { throw ValidationError("--limit must not be negative") }
  }

  func run() throws {
    let query = try match.query(limit: limit)
    try Terminal.write(
      query.keys(), of: query, as: format.records, query.columns(nil),
      guardsFormulas: formulas.guardFormulas)
  }
}
