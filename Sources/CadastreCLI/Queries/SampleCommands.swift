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

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The number of objects.", valueName: "N"))
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

struct SampleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Print random objects of a class.",
    discussion: """
      All objects are equally likely, and printed in the order of the store.

      EXAMPLES
        cadastre sample a.cadastre Airport
        cadastre sample a.cadastre Airport "country == 'FR'" --limit 3 --seed 7
      """)

  @OptionGroup var match: MatchOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The number of objects.", valueName: "N"))
  var limit = 10

  @Option(
    help: ArgumentHelp("A number with which the same objects are chosen again.", valueName: "N"))
  var seed: UInt64?

  @Option(help: "The output format.")
  var format = Environment.format(TableOutputFormat.table)

  @OptionGroup var formulas: FormulaOption

  func validate() throws {
    try formulas.check(isCSV: format == .csv)
    guard limit >= 0 else { throw ValidationError("--limit must not be negative") }
  }

  func run() throws {
    let query = try match.query()
    var random = SplitMix64(seed ?? UInt64.random(in: 0...UInt64.max))
    let keys = try query.keys().shuffled(using: &random).prefix(limit).sorted()
    try Terminal.write(
      keys, of: query, as: format.records, query.columns(nil),
      guardsFormulas: formulas.guardFormulas)
  }
}

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
      guardsFormulas: formulas.guardFormulas, mostCellWidth: Terminal.describedWidth)
  }
}

/// A generator of random numbers that a seed determines.
///
/// Source: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
private struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
