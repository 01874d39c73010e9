import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastreMaps
import CadastreModel
import CadastreQuery
import CadastreRealmImport

struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Print the objects of a class that match a predicate.",
    discussion: """
      The first 1,000 objects decide the widths of a table. A longer value of a later object widens \
      its line, or ends in … at the edge of the terminal. A Realm file is imported into a temporary \
      store first.

      EXAMPLES
        cadastre query a.cadastre Airport "country == 'FR'" \\
          --sort 'elevation desc' --limit 5
        cadastre query a.cadastre Airport 'location GEOWITHIN $0' \\
          --arg @region.geojson --map m.svg
        cadastre query a.cadastre Airport --within 50km --of 2.35,48.86 \\
          --select name,location.latitude,location.longitude
        cadastre query a.cadastre Airport "country == 'FR'" --format map
        cadastre query a.cadastre Airport --sort 'elevation desc' \\
          --top 3 --per country --select country,name,elevation
        cadastre query app.realm Person "name BEGINSWITH 'A'"
      """)

  @OptionGroup var options: QueryOptions

  @Option(
    help: ArgumentHelp("The fields to print; by default all.", valueName: "A,B,C"),
    completion: .custom(StoreCompletion.fieldNames))
  var select: String?

  @Option(
    help: ArgumentHelp(
      "Print the first object with each combination of values of these fields.", valueName: "A,B"),
    completion: .custom(StoreCompletion.fieldNames))
  var distinct: String?

  @Option(
    help: ArgumentHelp(
      "Print the first N objects of each combination of values of --per.", valueName: "N"))
  var top: Int?

  @Option(
    help: ArgumentHelp(
      "The groups of --top: fields, parts of dates, cells or calculations, as in --by of aggregate.",
      valueName: "A,B"),
    completion: .custom(StoreCompletion.fieldNames))
  var per: String?

  @Option(
    help:
      "The output format; map draws the locations in the terminal, ids prints internal keys.")
  var format = Environment.format(Format.table)

  @OptionGroup var measures: EllipsoidOption

  @OptionGroup var formulas: FormulaOption

  @Option(
    help: ArgumentHelp(
      "Also draw the objects on a map: SVG, or a page to move and magnify if it ends in .html.",
      valueName: "FILE"),
    completion: .file())
  var map: String?

  @Option(
    help: ArgumentHelp("The field that decides the colours of the map.", valueName: "FIELD"),
    completion: .custom(StoreCompletion.fieldNames))
  var colorBy: String?

  @Option(
    help: ArgumentHelp("The field with the names on the map.", valueName: "FIELD"),
    completion: .custom(StoreCompletion.fieldNames))
  var labelBy: String?

  @Option(
    help: ArgumentHelp(
      "The number that decides the sizes of the dots; their areas are proportional to it.",
      valueName: "FIELD"),
    completion: .custom(StoreCompletion.fieldNames))
  var sizeBy: String?

  @Flag(help: "Draw the density of points in place of dots, weighted by --size-by.")
  var heat = false

  @Option(
    help: ArgumentHelp(
      "A file with lines and polygons below the objects, such as rivers (repeatable).",
      valueName: "FILE"),
    completion: .file())
  var background: [String] = []

  @Flag(inversion: .prefixedNo, help: "Show names of countries where there is room.")
  var countryNames = true

  @Option(help: ArgumentHelp("The title of the map; by default the class.", valueName: "TEXT"))
  var title: String?

  @OptionGroup var overwriting: OverwriteOption

  @OptionGroup var key: RealmKeyOption

  @Option(
    name: .customLong("repeat"),
    help: ArgumentHelp("Run the query N times; the times go to standard error.", valueName: "N"))
  var runs = 1

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case table, json, ndjson, geojson, geojsonseq, csv, map, count, ids

    /// The format of the printed objects; nil if no objects are printed.
    var records: RecordWriter.Format? { .named(rawValue) }
  }

  func validate() throws {
    try formulas.check(isCSV: format == .csv)
    try measures.check(options, select: select)
    guard runs >= 1 else { throw ValidationError("--repeat must be at least 1") }
    guard (top == nil) == (per == nil) else {
      throw ValidationError(
        "--top and --per need each other: --sort 'elevation desc' --top 3 --per country")
    }
    guard top ?? 0 >= 0 else { throw ValidationError("--top must not be negative") }
    guard top == nil || distinct == nil else {
      throw ValidationError("--top and --distinct exclude each other")
    }
    let ending = map.flatMap { $0.lowercased().split(separator: ".").last } ?? ""
    guard !["png", "jpg", "jpeg", "gif", "webp", "pdf"].contains(ending) else {
      throw ValidationError(
        "--map writes SVG or HTML, and the file ends in .\(ending); name it .svg, and convert it, for "
          + "example with rsvg-convert")
    }
    let used = [
      ("--title", title != nil), ("--color-by", colorBy != nil), ("--label-by", labelBy != nil),
      ("--size-by", sizeBy != nil), ("--heat", heat), ("--background", !background.isEmpty),
      ("--no-country-names", !countryNames),
    ].first { $0.1 }
    if let used, map == nil { throw ValidationError("\(used.0) needs --map") }
    guard !heat || colorBy == nil else {
      throw ValidationError("--heat and --color-by exclude each other")
    }
  }

  func run() throws {
    if let objects = try options.remote() { return try run(on: objects) }
    guard let file = try key.file(options.match.store) else { return try runOnStore() }
    let store = try TemporaryRealmStore(file)
    defer { withExtendedLifetime(store) {} }
    var command = self
    command.options.match.store = store.path
    try command.runOnStore()
  }

  private func run(on objects: RemoteObjects) throws {
    let unsuitable = [
      ("--map", map != nil), ("--format map", format == .map), ("--distinct", distinct != nil),
      ("--top", top != nil),
      ("--repeat", runs > 1), ("--indexes", options.match.indexes == .off),
    ]
    try RemoteDatabase.refuse(unsuitable)
    if let records = format.records {
      try Terminal.write(
        objects, as: records, try objects.columns(select), guardsFormulas: formulas.guardFormulas)
    } else if format == .ids {
      try Terminal.write(keys: try objects.keys())
    } else {
      try Terminal.write("\(try objects.count())\n")
    }
  }

  private func runOnStore() throws {
    // The file is opened before the store: closing a descriptor of the store's file would release its locks.
    let drawing = try map.map {
      try OutputFile(
        path: $0,
        overwriting.rules(
          replacing: { MapSVG.isMap($0) || MapSVG.isPage($0) }, inputs: options.match.inputs,
          store: options.match.store))
    }
    let query = try measures.applied(to: options.query(isPaged: !isSelectedByGroup))
    let columns = try query.columns(select ?? distinct)
    // The style is read first: an unknown field or file is refused before objects are printed.
    let style = try drawing.map { _ in try mapStyle(query) }
    let result = try timed(query)
    if let records = format.records {
      try Terminal.write(
        result.keys, of: query, as: records, columns, guardsFormulas: formulas.guardFormulas)
    } else if format == .map {
      try MapDrawing(query).print(result.keys)
    } else if format == .ids {
      try Terminal.write(keys: result.keys)
    } else {
      try Terminal.write("\(result.count)\n")
    }
    // The format count computes no keys.
    if let drawing, let style {
      let keys = format == .count && !isSelectedByGroup ? try query.keys() : result.keys
      try MapDrawing(query).write(keys, to: drawing, style)
    }
  }

  /// Whether objects are selected by their group; offset and limit apply to the selected objects.
  private var isSelectedByGroup: Bool { distinct != nil || top != nil }

  /// Returns the keys of the objects that are selected by their group; nil without a selection.
  private func keysByGroup(_ query: StoreQuery) throws -> [Int64]? {
    if let distinct { return try query.keys(distinct: distinct) }
    if let top, let per { return try query.keys(top: top, per: per) }
    return nil
  }

  private func mapStyle(_ query: StoreQuery) throws -> MapDrawing.Style {
    func column(_ field: String?) throws -> OutputColumn? {
      try field.flatMap { try query.columns($0).first }
    }
    var style = MapDrawing.Style(
      title: title ?? options.match.className, predicate: options.match.predicate)
    style.colour = try column(colorBy)
    style.name = try column(labelBy)
    style.size = try column(sizeBy)
    if let size = style.size, size.type?.isNumeric != true, size.type != .any {
      throw ValidationError("--size-by expects a number, and '\(size.name)' is none")
    }
    style.isHeatMap = heat
    style.showsCountryNames = countryNames
    style.background = try background.flatMap(BackgroundLayer.shapes)
    return style
  }

  /// Runs the query `runs` times, prints the times if there are several, and returns the last
  /// result.
  private func timed(_ query: StoreQuery) throws -> (keys: [Int64], count: Int) {
    var milliseconds: [Double] = []
    var keys: [Int64] = []
    var count = 0
    for _ in 0..<runs {
      let start = ContinuousClock().now
      if let all = try keysByGroup(query) {
        keys = Array(all.dropFirst(options.offset).prefix(options.limit ?? .max))
        count = keys.count
      } else if format == .count {
        count = try query.count()
      } else {
        keys = try query.keys()
        count = keys.count
      }
      milliseconds.append((ContinuousClock().now - start).inSeconds * 1e3)
    }
    if runs > 1 { Terminal.report(Self.summary(milliseconds, count)) }
    return (keys, count)
  }

  private static func summary(_ milliseconds: [Double], _ count: Int) -> String {
    let sorted = milliseconds.sorted()
    let figures = [milliseconds[0], sorted[0], sorted[sorted.count / 2]].map {
      ($0 * 1e4).rounded() / 1e4
    }
    return "{\"runs\":\(milliseconds.count),\"coldMs\":\(figures[0]),\"minMs\":\(figures[1]),"
      + "\"medianMs\":\(figures[2]),\"count\":\(count)}"
  }
}

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Print the plan of a query.",
    discussion: """
      One line for each step, the last step first. --measured also runs the query.

      EXAMPLE
        cadastre explain a.cadastre Airport "country == 'FR'" --measured --candidates
      """)

  @OptionGroup var options: QueryOptions

  @Flag(help: "Run the query and print the time and rows of each step.")
  var measured = false

  @Flag(help: "Print the access paths that were not chosen, with their costs.")
  var candidates = false

  @Option(help: "The output format; json is complete, including the candidates.")
  var format = Format.text

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  func run() throws {
    if let objects = try options.remote() {
      try RemoteDatabase.refuse([
        ("--measured", measured), ("--candidates", candidates), ("--format json", format == .json),
      ])
      return try Terminal.write(lines: try objects.explain() + "\n")
    }
    let query = try options.query()
    var print: PlanText.Options = [.estimates]
    if candidates { print.formUnion([.candidates, .rules]) }
    switch format {
    case .text: try Terminal.write(lines: try query.explain(print, measured: measured) + "\n")
    case .json: try Terminal.write(try query.explainJSON(measured: measured) + "\n")
    }
  }
}
