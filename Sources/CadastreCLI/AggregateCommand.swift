import ArgumentParser
import CadastreDatasets

struct AggregateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aggregate",
    abstract: "Compute counts, sums, averages, minima and maxima, in total or by a field.",
    discussion: """
      Nulls are ignored; count(FIELD) is the number of values that are not null. --by prints \
      one line for each value of a field, null first.

      EXAMPLES
        cadastre aggregate a.cadastre Airport "country == 'FR'" \\
          --compute 'count, avg(elevation), max(elevation)'
        cadastre aggregate a.cadastre Airport --compute 'count, max(elevation)' \\
          --by country --sort 'count desc' --limit 10
      """)

  @OptionGroup var match: MatchOptions

  @Option(
    help: ArgumentHelp(
      "What to compute: count, or count, sum, avg, min or max of a field.",
      valueName: "count, avg(FIELD),…"))
  var compute: String

  @Option(
    help: ArgumentHelp("Print one line for each value of this field.", valueName: "FIELD"),
    completion: .custom(StoreCompletion.fieldNames))
  var by: String?

  @Option(help: ArgumentHelp("The order of the lines.", valueName: "COLUMN [asc|desc],…"))
  var sort: String?

  @Option(help: ArgumentHelp("The maximum number of lines.", valueName: "N"))
  var limit: Int?

  @Option(help: "The output format.")
  var format = Format.table

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case table, json, ndjson, csv

    var records: RecordWriter.Format {
      switch self {
      case .table: .table
      case .json: .json
      case .ndjson: .ndjson
      case .csv: .csv
      }
    }
  }

  func validate() throws {
    guard by != nil || (sort == nil && limit == nil) else {
      throw ValidationError("--sort and --limit need --by")
    }
    guard limit ?? 0 >= 0 else { throw ValidationError("--limit must not be negative") }
  }

  func run() throws {
    let query = try AggregateQuery(try match.query(), compute: compute, by: by)
    var options = RecordWriter.Options()
    options.width = Terminal.width
    options.isStyled = Terminal.isStyled
    var writer = RecordWriter(format.records, columns: query.outputColumns, options)
    for record in try query.records(order: sort, limit: limit) { writer.append(record) }
    writer.finish()
    try Terminal.write(writer.take())
  }
}
