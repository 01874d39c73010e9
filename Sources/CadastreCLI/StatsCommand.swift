import ArgumentParser
import CadastreDatasets

struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Describe the values of each field: nulls, distinct values, extremes, distribution.",
    discussion: """
      One line for each field with a single value, and for the coordinates of points. The \
      distribution shows ten intervals of equal width between minimum and maximum of numbers and \
      dates.

      EXAMPLES
        cadastre stats a.cadastre Airport
        cadastre stats a.cadastre Airport "country == 'FR'" --format json
      """)

  @OptionGroup var match: MatchOptions

  @Option(help: "The output format.")
  var format = Environment.format(TableOutputFormat.table)

  @OptionGroup var formulas: FormulaOption

  func validate() throws { try formulas.check(isCSV: format == .csv) }

  func run() throws {
    try Terminal.write(
      FieldStatistics(try match.query()).records(), as: format.records, FieldStatistics.columns,
      guardsFormulas: formulas.guardFormulas)
  }
}
