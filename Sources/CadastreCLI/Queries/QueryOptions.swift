import ArgumentParser
import CadastreDatasets
import CadastreGeometry
import CadastrePredicate
import Foundation

/// The arguments of all subcommands that select objects.
struct MatchOptions: ParsableArguments {
  @Argument(help: "The store.", completion: .file())
  var store: String

  @Argument(help: "The class.", completion: .custom(StoreCompletion.classNames))
  var className: String

  @Argument(help: "A predicate; by default all objects match.")
  var predicate: String?

  @Option(
    name: .customLong("arg"),
    help: ArgumentHelp(
      "The value of $0, $1 …: a JSON literal, WKT or GeoJSON, or @FILE with a geometry (repeatable).",
      valueName: "VALUE"))
  var arguments: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only objects within a distance of the point of --of; a number alone is in radians.",
      valueName: "50km|30mi|200m|1deg"))
  var within: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The point of --within, in degrees.", valueName: "LON,LAT"))
  var of: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only objects in a box, in degrees.", valueName: "W,S,E,N"))
  var bbox: String?

  @Option(
    name: .customLong("edges"),
    help: "The edges of boxes and polygons: great circles, or straight lines on the map.")
  private var edgeModel = Edges.spherical

  @Option(help: "on or off; off leaves the scan as the only access path.")
  var indexes = Switch.on

  private enum Edges: String, ExpressibleByArgument, CaseIterable { case spherical, planar }

  enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

  func validate() throws {
    guard (within == nil) == (of == nil) else {
      throw ValidationError("--within and --of need each other: --within 50km --of 2.35,48.86")
    }
    try Self.validate(within: within)
    guard of.map({ CoordinateText.point($0) != nil }) ?? true else {
      throw ValidationError("--of expects LON,LAT in degrees, such as 2.35,48.86")
    }
    try Self.validate(bbox: bbox)
  }

  /// Throws a usage error if the text of `--within` is not a distance.
  static func validate(within: String?) throws {
    guard within.map({ DistanceUnit.distance($0) != nil }) ?? true else {
      throw ValidationError("--within expects a distance such as 50km, 30mi, 200m or 1deg")
    }
  }

  /// Throws a usage error if the text of `--bbox` is not a box.
  static func validate(bbox: String?) throws {
    guard bbox.map({ BoundingBox($0) != nil }) ?? true else {
      throw ValidationError("--bbox expects W,S,E,N in degrees, such as -5,42,8,51")
    }
  }

  /// The regions of the options.
  var regions: [RegionCondition] {
    var regions = bbox.flatMap(BoundingBox.init).map { [RegionCondition.box($0)] } ?? []
    if let radius = within.flatMap(DistanceUnit.distance),
      let center = of.flatMap(CoordinateText.point)
    {
      regions.append(.circle(GeoCircle(center: center, radius: radius)))
    }
    return regions
  }

  /// The files of the arguments of the form `@FILE`.
  var inputs: [String] { arguments.filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) } }

  /// The values of `$0`, `$1` ….
  var parsedArguments: [PredicateArgument] {
    get throws { try arguments.map { try PredicateArgument(commandLine: $0) } }
  }

  /// The edges of boxes and polygons.
  var edges: EdgeModel { edgeModel == .planar ? .planar : .spherical }

  /// Returns the query on the store, or on a temporary copy of the matching objects of a database.
  func query(
    order: String? = nil, near: GeoPoint? = nil, offset: Int = 0, limit: Int? = nil
  ) throws -> StoreQuery {
    if let database = RemoteDatabase(store) {
      let selection = RemoteDatabase.Selection(
        className, predicate, try parsedArguments, edges, regions)
      return try StoreQuery(
        try database.excerpt([selection]), className: className, predicate: predicate,
        arguments: try parsedArguments, regions: regions, order: order, near: near, offset: offset,
        limit: limit, edges: edges, usesIndexes: indexes == .on)
    }
    return try StoreQuery(
      store: store, className: className, predicate: predicate,
      arguments: try parsedArguments, regions: regions, order: order, near: near, offset: offset,
      limit: limit,
      edges: edges, usesIndexes: indexes == .on)
  }

  /// Throws a usage error if neither a predicate nor a region selects objects.
  func requirePredicate() throws {
    guard predicate != nil || within != nil || bbox != nil else {
      throw ValidationError(
        "Missing expected argument '<predicate>'; TRUEPREDICATE matches all objects")
    }
  }

  /// Returns the change of the matching objects.
  func change() throws -> MatchChange {
    MatchChange(
      store: store, className: className, predicate: predicate, arguments: try parsedArguments,
      edges: edges, regions: regions)
  }
}

/// The option of `query` and `export` for measures on the ellipsoid.
struct EllipsoidOption: ParsableArguments {
  @Flag(
    help: """
      Areas and lengths of --select, and distances of --near, on the ellipsoid of WGS 84; conditions \
      and orders stay on the sphere.
      """)
  var ellipsoid = false

  /// Throws a usage error if the option has no effect, or if the library PROJ is missing.
  func check(_ options: QueryOptions, select: String?) throws {
    guard ellipsoid else { return }
    if let failure = EllipsoidMeasure.failure {
      throw ValidationError("--ellipsoid: \(failure)")
    }
    guard RemoteDatabase(options.match.store) == nil else {
      throw ValidationError(
        "--ellipsoid: found a database, expected a store; cadastre pull makes one")
    }
    guard select != nil || options.hasOrigin else {
      throw ValidationError(
        "--ellipsoid needs measures in --select, such as border.area, or --near")
    }
  }

  /// Returns the query with measures on the ellipsoid if the option says so.
  func applied(to query: StoreQuery) -> StoreQuery {
    guard ellipsoid else { return query }
    var query = query
    query.measureOnEllipsoid()
    return query
  }
}

/// The arguments of `query`, `export` and `explain`.
struct QueryOptions: ParsableArguments {
  @OptionGroup var match: MatchOptions

  @Option(
    help: ArgumentHelp(
      "The sort order, such as 'name asc[cn] nulls last'.", valueName: "FIELD [asc|desc],…"),
    completion: .custom(StoreCompletion.fieldNames))
  var sort: String?

  @Option(
    name: .customLong("near"), parsing: .unconditional,
    help: ArgumentHelp(
      "Sort by distance from a point, nearest first, before --sort, and add a column with the distance in metres.",
      valueName: "LON,LAT"))
  private var nearText: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The maximum number of objects.", valueName: "N"))
  var limit: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The number of objects to skip first.", valueName: "N"))
  var offset = 0

  func validate() throws {
    guard limit ?? 0 >= 0, offset >= 0 else {
      throw ValidationError("--limit and --offset must not be negative")
    }
    guard nearText == nil || near != nil else {
      throw ValidationError("--near expects LON,LAT in degrees, such as 2.35,48.86")
    }
  }

  /// The point of `--near`; nil if it is missing or malformed.
  private var near: GeoPoint? { nearText.flatMap(CoordinateText.point) }

  /// Returns the query on a database; nil if it is on a store.
  func remote() throws -> RemoteObjects? {
    try RemoteDatabase(match.store).map {
      try RemoteObjects($0, match, order: sort, near: near, offset: offset, limit: limit)
    }
  }

  /// Whether the options have a point from which distances are measured.
  var hasOrigin: Bool { nearText != nil }

  /// Whether the options sort the objects.
  var isSorted: Bool { sort != nil || nearText != nil }

  /// Whether the options select, order or limit the objects.
  var isRestricted: Bool {
    isSorted || limit != nil || offset != 0 || match.predicate != nil || !match.regions.isEmpty
  }

  /// Returns the query.
  ///
  /// - Parameter isPaged: Whether the query has the offset and the limit.
  /// - Returns: The query.
  /// - Throws: `StoreError` or `QueryPredicateError`.
  func query(isPaged: Bool = true) throws -> StoreQuery {
    try match.query(
      order: sort, near: near, offset: isPaged ? offset : 0, limit: isPaged ? limit : nil)
  }
}
