import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastreGeometry

struct JoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Print pairs of objects by their geometries or by equal values, or count them.",
    discussion: """
      The relation is between a geometry of CLASS, on its left, and one of OTHER; by default their \
      only geometries intersect. A condition such as code == fips pairs objects by equal values of a field of CLASS \
      and one of OTHER. The fields of OTHER are printed after its name, and called other.… \
      if both classes are the same; with --once two objects are one pair, in either order. Pairs are in the \
      order of CLASS.

      EXAMPLES
        cadastre join a.cadastre Airport Country "location GEOWITHIN geometry" \\
          --select name,Country.name
        cadastre join a.cadastre Country Airport --counts --select name \\
          --other-where 'elevation > 300'
        cadastre join a.cadastre Airport Country --outer \\
          --where "country == 'FR'" --format csv
        cadastre join a.cadastre Airport Airport "country == other.country" \\
          --select name,other.name --limit 3
        cadastre join a.cadastre Airport Airport --nearest 3 --within 50km \\
          --select name,other.name
        cadastre join a.cadastre Airport Airport --once \\
          "GEODISTANCE(location, other.location) < 2km" --format count
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Argument(help: "The class of the left objects.", completion: .custom(StoreCompletion.classNames))
  var className: String

  @Argument(
    help: "The class of the right objects, their partners.",
    completion: .custom(StoreCompletion.classNames))
  var other: String

  @Argument(
    help: "One relation between the geometries of the classes, or the equality of two fields.")
  var relation: String?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Only left objects that match a predicate.", valueName: "PREDICATE"))
  var leftPredicate: String?

  @Option(help: ArgumentHelp("Only right objects that match a predicate.", valueName: "PREDICATE"))
  var otherWhere: String?

  @Option(help: ArgumentHelp("Only the N nearest partners of each object.", valueName: "N"))
  var nearest: Int?

  @Option(
    help: ArgumentHelp(
      "Only partners within a distance; a number alone is in radians.", valueName: "50km|30mi|200m")
  )
  var within: String?

  @Flag(help: "Keep the objects without a partner, with null as partner.")
  var outer = false

  @Flag(
    help: "Print two objects of one class as one pair; --where applies to both.")
  var once = false

  @Flag(help: "Print each left object with the number of its partners instead of the pairs.")
  var counts = false

  @Option(
    help: ArgumentHelp("The fields to print; by default all.", valueName: "A,OTHER.B"),
    completion: .custom(StoreCompletion.fieldNames))
  var select: String?

  @Option(
    help: ArgumentHelp("The order of the left objects.", valueName: "FIELD [asc|desc],…"),
    completion: .custom(StoreCompletion.fieldNames))
  var sort: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The maximum number of pairs.", valueName: "N"))
  var limit: Int?

  @Option(help: "The output format; count prints the number of pairs only.")
  var format = Environment.format(Format.table)

  @OptionGroup var formulas: FormulaOption

  @Flag(help: "Print how the partners are found instead of the pairs.")
  var explain = false

  @Option(
    help: ArgumentHelp(
      "Store the pairs of equal values as objects of a new class instead of printing them.",
      valueName: "CLASS"))
  var into: String?

  @Flag(help: "With --into: print the numbers of objects, change nothing.")
  var dryRun = false

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case table, json, ndjson, geojson, geojsonseq, csv, count

    /// The format of the printed objects; nil if no objects are printed.
    var records: RecordWriter.Format? { .named(rawValue) }
  }

  func validate() throws {
    try formulas.check(isCSV: format == .csv)
    guard limit ?? 0 >= 0, nearest ?? 1 >= 1 else {
      throw ValidationError("--limit must not be negative, and --nearest must be at least 1")
    }
    try MatchOptions.validate(within: within)
    guard within == nil || relation == nil else {
      throw ValidationError(
        "--within and a relation exclude each other; write GEODISTANCE(location, location) <= 50km")
    }
    guard limit == nil || (!counts && format != .count) else {
      throw ValidationError("--limit limits printed pairs, not --counts and --format count")
    }
    guard into != nil || !dryRun else { throw ValidationError("--dry-run needs --into") }
    guard
      into == nil
        || relation != nil && nearest == nil && !counts && !explain && limit == nil
          && select == nil && sort == nil
    else {
      throw ValidationError(
        "--into needs a condition such as code == fips, and takes --where, --other-where, --outer and --dry-run"
      )
    }
    guard
      !once
        || className == other && !counts && !outer && nearest == nil && into == nil
          && otherWhere == nil
    else {
      throw ValidationError(
        "--once joins a class with itself, without --other-where, --counts, --outer, --nearest and --into"
      )
    }
    guard !counts || (!outer && format != .count) else {
      throw ValidationError(
        "--counts prints all left objects; it takes no --outer or --format count")
    }
  }

  func run() throws {
    if let into { return try store(into: into) }
    let left = try leftQuery()
    let join = try StoreJoin(
      left, left.query(of: other, once ? leftPredicate : otherWhere),
      StoreJoin.Condition(
        relation: relation, nearest: nearest, limit: within.flatMap(DistanceUnit.distance),
        pairsOnce: once))
    if explain { return try Terminal.write(lines: join.explain() + "\n") }
    guard let records = format.records else {
      return try Terminal.write("\(join.count(keepsUnmatched: outer))\n")
    }
    if counts {
      try Terminal.write(
        as: records, join.countColumns(select), "object",
        guardsFormulas: formulas.guardFormulas, join.forEachCount)
    } else {
      try Terminal.write(
        as: records, join.columns(select), "pair", guardsFormulas: formulas.guardFormulas
      ) { body in
        try join.forEachRecord(keepsUnmatched: outer, limit: limit, body)
      }
    }
  }

  private func store(into name: String) throws {
    try RemoteDatabase.refuse([("--into", RemoteDatabase(store) != nil)])
    let report = try MatchChange(store: store, className: className, predicate: leftPredicate)
      .join(
        into: name, with: other, otherWhere, on: relation ?? "", keepsUnmatched: outer,
        isDryRun: dryRun)
    Terminal.say(
      "\(dryRun ? "would store" : "stored") \(counted(report.objects, "object")) in \(printable(name))"
    )
    if report.unmatched > 0 {
      Terminal.say(
        "note: \(counted(report.unmatched, "object")) of \(className) without a partner"
          + (outer ? "" : "; --outer keeps them"))
    }
    if !report.leftOut.isEmpty {
      Terminal.say(
        "note: left out, because they are not single values: \(listed(report.leftOut)) of \(printable(other))"
      )
    }
    if report.mostPartners > 1 {
      Terminal.say(
        "note: objects have up to \(grouped(report.mostPartners)) partners, and one object for each"
      )
    }
  }

  /// Returns the query of the left objects; objects of a database, left and right, are copied to a temporary store.
  private func leftQuery() throws -> StoreQuery {
    guard let database = RemoteDatabase(store) else {
      return try StoreQuery(
        store: store, className: className, predicate: leftPredicate, order: sort)
    }
    let selections =
      className == other
      ? [RemoteDatabase.Selection(className, nil)]
      : [.init(className, leftPredicate), .init(other, otherWhere)]
    return try StoreQuery(
      try database.excerpt(selections), className: className, predicate: leftPredicate,
      order: sort)
  }
}
