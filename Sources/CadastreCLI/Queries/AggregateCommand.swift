import ArgumentParser
import CadastreDatasets

struct AggregateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aggregate",
    abstract:
      "Compute counts, sums, averages, extremes, deviations and quantiles, in total or by groups.",
    discussion: """
      Nulls are ignored; count(FIELD) is the number of values that are not null. --by prints \
      one line for each combination of values, null first; year(FIELD), month(FIELD), day(FIELD) \
      and hour(FIELD) are dates in UTC up to that part, such as 2020-01, and FIELD.month alone is \
      the number of the month; bin(FIELD, WIDTH) is the lower bound of an interval of \
      numbers; tile(FIELD, ZOOM) and geohash(FIELD, LENGTH) are \
      cells of a map. Quantiles are interpolated between values. stddev is the standard deviation of a \
      sample, null for fewer than two values. first and last are the values of the \
      first and last objects in --order, which is the order of the import by default. A field may be \
      a calculation: sum(population / 1000), or --by 'population / 1000 as thousands', where whole \
      numbers divide to a whole number. --having takes a calculation by its name. --histogram prints the \
      number of objects in intervals of equal width, from the least to the greatest value; only the last \
      interval contains its upper bound.

      EXAMPLES
        cadastre aggregate a.cadastre Airport "country == 'FR'" \\
          --compute 'count, avg(elevation), max(elevation)'
        cadastre aggregate a.cadastre Airport --compute 'count, max(elevation)' \\
          --by country --sort 'count desc' --limit 10
        cadastre aggregate a.cadastre Airport --by country,tz \\
          --compute 'count, stddev(elevation), count(distinct city)' \\
          --having 'count > 100 AND stddev(elevation) > 500'
        cadastre aggregate a.cadastre Airport --by 'tile(location, 4)' \\
          --compute 'count, avg(elevation)' --sort 'count desc' --limit 10
        cadastre aggregate a.cadastre Airport --by 'bin(elevation, 500)' \\
          --compute count
        cadastre aggregate a.cadastre Airport --histogram elevation --bins 20
      """)

  @OptionGroup var match: MatchOptions

  @Option(
    help: ArgumentHelp(
      "What to compute: count; count, sum, avg, min, max, median, stddev, first or last of a field; count(distinct FIELD); percentile(FIELD, 90).",
      valueName: "count, avg(FIELD),…"))
  var compute: String?

  @Option(
    help: ArgumentHelp(
      "Print one line for each combination of values of these fields, parts, cells and calculations.",
      valueName: "FIELD,…"),
    completion: .custom(StoreCompletion.fieldNames))
  var by: String?

  @Option(
    help: ArgumentHelp(
      "Print the number of objects in intervals of a number or a date, instead of --compute.",
      valueName: "FIELD"),
    completion: .custom(StoreCompletion.fieldNames))
  var histogram: String?

  @Option(
    help: ArgumentHelp("The number of intervals of --histogram; by default 10.", valueName: "N"))
  var bins: Int?

  @Option(
    help: ArgumentHelp(
      "Print only the lines that match a predicate on their columns.", valueName: "PREDICATE"))
  var having: String?

  @Option(help: ArgumentHelp("The order of the lines.", valueName: "COLUMN [asc|desc],…"))
  var sort: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The maximum number of lines.", valueName: "N"))
  var limit: Int?

  @Option(
    help: ArgumentHelp(
      "The order of the objects, for first and last.", valueName: "FIELD [asc|desc],…"),
    completion: .custom(StoreCompletion.fieldNames))
  var order: String?

  @Option(help: "The output format; geojson draws the cells of --by.")
  var format = Environment.format(Format.table)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case table, json, ndjson, csv, geojson

    var records: RecordWriter.Format { .named(rawValue) ?? .table }
  }

  @OptionGroup var formulas: FormulaOption

  func validate() throws {
    try formulas.check(isCSV: format == .csv)
    guard (compute == nil) != (histogram == nil) else {
      throw ValidationError(
        "expected either --compute, such as --compute 'count, avg(elevation)', or --histogram")
    }
    let groups = [by, having, sort, order].contains { $0 != nil } || limit != nil
    guard histogram == nil || !groups else {
      throw ValidationError(
        "--histogram takes none of --by, --having, --sort, --limit and --order; group by "
          + "'bin(FIELD, WIDTH)' for them")
    }
    guard format != .geojson || by != nil else {
      throw ValidationError("--format geojson needs --by with cells, such as 'tile(location, 6)'")
    }
    guard histogram != nil || bins == nil else { throw ValidationError("--bins needs --histogram") }
    guard (1...100_000).contains(bins ?? 10) else {
      throw ValidationError("--bins must be from 1 to 100000")
    }
    guard by != nil || (sort == nil && limit == nil) else {
      throw ValidationError("--sort and --limit need --by")
    }
    guard limit ?? 0 >= 0 else { throw ValidationError("--limit must not be negative") }
  }

  func run() throws {
    guard let compute else {
      let query = try HistogramQuery(
        try match.query(order: nil), of: histogram ?? "", bins: bins ?? 10)
      return try Terminal.write(
        query.records(), as: format.records, query.outputColumns,
        guardsFormulas: formulas.guardFormulas)
    }
    if let database = RemoteDatabase(match.store), order == nil,
      let aggregate = try RemoteAggregate(database, match, compute: compute, by: by)
    {
      return try write(
        aggregate.query.records(of: aggregate.groups, order: sort, having: having, limit: limit),
        of: aggregate.query)
    }
    let query = try AggregateQuery(try match.query(order: order), compute: compute, by: by)
    try write(query.records(order: sort, having: having, limit: limit), of: query)
  }

  private func write(_ records: [StoredRecord], of query: AggregateQuery) throws {
    let (columns, records) =
      format == .geojson ? try query.features(records) : (query.outputColumns, records)
    try Terminal.write(
      records, as: format.records, columns, guardsFormulas: formulas.guardFormulas)
  }
}
