import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery

/// The cases, by operator.
extension OperatorCase {
  static let all =
    scans + sorts + lookups + ranges + regions + words + combinations + links + nearest + ordered
    + projections

  private static func key(_ path: String, _ isAscending: Bool = true) -> SortKey {
    SortKey(PropertyPath(path), isAscending: isAscending)
  }

  // MARK: Scan, Filter, Sort

  private static let box = "geometry('POLYGON ((-3 -3, 3 -3, 3 3, -3 3, -3 -3))')"

  private static let scans = [
    OperatorCase(steps: ["Nothing Plot"], text: "FALSEPREDICATE"),
    OperatorCase(steps: ["Scan Plot"], text: "TRUEPREDICATE"),
    OperatorCase(
      steps: ["Filter count > 0 AND title CONTAINS 'w'", "Scan Plot"],
      text: "count > 0 AND title CONTAINS 'w'"),
    OperatorCase(steps: ["Filter ratio <= 0", "Scan Plot"], text: "ratio <= 0"),
    OperatorCase(steps: ["Filter (", "Scan Plot"], text: "ratio == null OR count < 0"),
    // With a small cache, the region and the relation are evaluated late.
    OperatorCase(
      steps: ["Filter count >= 0 AND place GEOWITHIN", "Scan Plot"],
      text: "place GEOWITHIN geoCircle([0, 0], 0.06) AND count >= 0"),
    OperatorCase(
      steps: ["Filter size != null AND border GEOINTERSECTS", "Scan Plot"],
      text: "border GEOINTERSECTS \(box) AND size != null"),
    OperatorCase(
      steps: ["Filter ", "Scan Plot"], text: "keeper.rank > 2 OR ANY helpers.rank == 3"),
  ]

  private static let sorts = [
    OperatorCase(
      steps: ["Sort ratio descending, title ascending", "Scan Plot"], text: "TRUEPREDICATE",
      order: [key("ratio", false), key("title")]),
    OperatorCase(
      steps: ["Sort ratio ascending", "Filter count"], text: "count <= 1", order: [key("ratio")]),
    OperatorCase(
      steps: ["Sort count descending"], text: "TRUEPREDICATE", order: [key("count", false)]),
    OperatorCase(steps: ["Sort size ascending"], text: "TRUEPREDICATE", order: [key("size")]),
    OperatorCase(steps: ["Sort title ascending"], text: "TRUEPREDICATE", order: [key("title")]),
    OperatorCase(
      steps: ["Sort sold descending"], text: "TRUEPREDICATE", order: [key("sold", false)]),
    OperatorCase(
      steps: ["Sort keeper.rank descending"], text: "TRUEPREDICATE",
      order: [key("keeper.rank", false)]),
    OperatorCase(
      steps: ["Sort title descending[c] nulls last, id ascending"], text: "TRUEPREDICATE",
      order: [
        SortKey(
          PropertyPath("title"), isAscending: false, collation: .caseInsensitive, nulls: .last),
        key("id"),
      ]),
    OperatorCase(
      steps: ["Sort distance of place from [1.5, 2.0] ascending", "Filter count"],
      text: "count < 3", order: [distance("place")]),
    OperatorCase(
      steps: ["Sort distance of border from [1.5, 2.0] descending"], text: "TRUEPREDICATE",
      order: [distance("border", false)]),
    OperatorCase(
      steps: ["Sort ratio ascending", "IndexSearch Plot.size (0, …)"], text: "size > 0",
      order: [key("ratio")], kinds: [.indexSearch]),
  ]

  // MARK: KeyLookup, IndexSearch

  private static let lookups = [
    OperatorCase(
      steps: ["KeyLookup Plot.id == 9223372036854775807"], text: "id == 9223372036854775807",
      kinds: [.keyLookup]),
    OperatorCase(
      steps: ["KeyLookup Plot.id in {"],
      text: "id IN {9223372036854775807, -9223372036854775808, 0, 0.0, 2919, 831, -1257, 1.5}",
      kinds: [.keyLookup]),
    OperatorCase(
      steps: ["Filter count >= 0", "KeyLookup Plot.id in {"],
      text: "count >= 0 AND id IN {2919, 831, -1257, -3345, 4574, 9223372036854775807}",
      kinds: [.keyLookup]),
    OperatorCase(
      steps: ["KeyLookup Keeper.code in {'K0', 'K2', 'nobody'}"],
      text: "code IN {'K2', 'nobody', 'K0', 'K2'}", className: "Keeper", kinds: [.keyLookup]),
  ]

  private static let ranges = [
    search("Plot.size [0, 30)", "size >= 0 AND size < 30"),
    search("Plot.size (…, -1]", "size <= -1"),
    search(
      "Plot.size == -1, == 0, == 9223372036854775807", "size IN {0, -1, 0.0, 9223372036854775807}"),
    search("Plot.size == null", "size == null"),
    search("Plot.size nothing", "size > 5 AND size < 3"),
    search("Plot.price (…, 0", "price <= 0"),
    search("Plot.price == ", "price == -0.0"),
    search("Plot.price (0", "price > 0"),
    search("Plot.price nothing", "price == nan"),
    search("Plot.kind == null, (…, 'b')", "kind < 'b'"),
    search("Plot.kind ['a', 'b')", "kind BEGINSWITH 'a'"),
    search("Plot.sold [T0:0, …)", "sold >= 1970-01-01@0:0:0"),
    search("Plot.sold (…, T0:0)", "sold < 1970-01-01@0:0:0"),
    search("Plot(kind, size) kind == 'a' and size (0, …)", "kind == 'a' AND size > 0"),
    OperatorCase(
      steps: ["IndexSearch Plot(kind, size) "], text: "kind IN {'a', null} AND size IN {0, null}",
      kinds: [.indexSearch], needsRows: true),
    search("Plot(title, count, id) title ('a', …)", "title > 'a'"),
    search(
      "Plot(title, count, id) title == 'a' and count == 0 and id (0, …)",
      "title == 'a' AND count == 0 AND id > 0"),
    OperatorCase(
      steps: ["Filter ratio > 1", "IndexSearch Plot.kind == 'a'"],
      text: "ratio > 1 AND kind == 'a'",
      kinds: [.indexSearch]),
  ]

  private static func search(_ step: String, _ text: String) -> OperatorCase {
    OperatorCase(steps: ["IndexSearch \(step)"], text: text, kinds: [.indexSearch])
  }

  // MARK: SpatialSearch, TextSearch

  private static let regions = [
    spatial("Plot.place within geoCircle(", "place GEOWITHIN geoCircle([0, 0], 0.06)"),
    spatial(
      "Plot.place within planar geoBox(", "place GEOWITHIN[planar] geoBox([-3, -3], [2.5, 3])"),
    spatial(
      "Plot.place where place GEOWITHIN",
      "place GEOWITHIN geoCircle([0, 0], 0.08) AND NOT place GEOWITHIN geoCircle([0, 0], 0.04)"),
    spatial("Plot.border where border GEOINTERSECTS", "border GEOINTERSECTS \(box)"),
    spatial("Plot.border where border GEOWITHIN", "border GEOWITHIN \(box)"),
    spatial(
      "Plot.border where border GEOCONTAINS", "border GEOCONTAINS geometry('POINT (1.5 1.5)')"),
    spatial("Plot.border where border GEOTOUCHES", "border GEOTOUCHES[planar] \(box)"),
    spatial(
      "Plot.border where GEODISTANCE(border",
      "GEODISTANCE(border, geometry('POINT (0 0)')) <= 250km"),
    OperatorCase(
      steps: ["Filter count > 0", "SpatialSearch Plot.place within geoCircle("],
      text: "count > 0 AND place GEOWITHIN geoCircle([0, 0], 0.06)", kinds: [.spatialSearch]),
    OperatorCase(
      steps: ["Filter place.type == 'Point' AND", "SpatialSearch Plot.place at [2.5, -1.25]"],
      text: "place.type == 'Point' AND place.coordinates == {2.5, -1.25}", kinds: [.spatialSearch]),
    // Without a number there is no greatest distance.
    OperatorCase(
      steps: ["Filter GEODISTANCE", "SpatialSearch Plot.place within the greatest distance of"],
      text: "GEODISTANCE(place, geometry('POINT (1 1)')) <= reach", kinds: [.spatialSearch],
      needsRows: true),
  ]

  private static func spatial(_ step: String, _ text: String) -> OperatorCase {
    OperatorCase(steps: ["SpatialSearch \(step)"], text: text, kinds: [.spatialSearch])
  }

  private static let words = [
    OperatorCase(
      steps: ["TextSearch Plot.note for"], text: "note TEXT 'north'", kinds: [.textSearch]),
    OperatorCase(
      steps: ["TextSearch Plot.note for"], text: "note TEXT 'nor* -calm'", kinds: [.textSearch]),
    OperatorCase(
      steps: ["Sort count ascending", "Filter ratio >= 0", "TextSearch Plot.note for"],
      text: "note TEXT 'wind' AND ratio >= 0", order: [key("count")], kinds: [.textSearch]),
  ]

  // MARK: Union, Intersection, Complement

  private static let combinations = [
    OperatorCase(
      steps: ["Union Plot", "IndexSearch Plot.size == 0", "IndexSearch Plot.price (…, 0"],
      text: "size == 0 OR price <= 0", kinds: [.union, .indexSearch]),
    OperatorCase(
      steps: ["Union Plot", "SpatialSearch Plot.place within", "TextSearch Plot.note for"],
      text: "place GEOWITHIN geoCircle([0, 0], 0.05) OR note TEXT 'north' OR id == 2919",
      kinds: [.union, .spatialSearch, .textSearch, .keyLookup]),
    // Terms that a part leaves open make the whole disjunction a filter.
    OperatorCase(
      steps: ["Filter (", "Union Plot"], text: "(kind == 'a' AND ratio > 1) OR size == 0",
      kinds: [.union, .indexSearch]),
    OperatorCase(
      steps: ["Union Plot", "Complement Plot", "SpatialSearch Plot.place within"],
      text: "NOT place GEOWITHIN geoCircle([0, 0], 0.05) OR size == 0",
      kinds: [.union, .complement, .spatialSearch, .indexSearch], needsRows: true),
    OperatorCase(
      steps: ["Intersection Plot", "IndexSearch Plot.kind == 'a'", "IndexSearch Plot.price [0"],
      text: "kind == 'a' AND price >= 0", kinds: [.intersection, .indexSearch], needsRows: true),
    OperatorCase(
      steps: [
        "Sort ratio descending", "Intersection Plot", "SpatialSearch Plot.place within",
        "IndexSearch Plot.price (…, 1.5]",
      ], text: "place GEOWITHIN geoCircle([0, 0], 0.08) AND price <= 1.5",
      order: [key("ratio", false)], kinds: [.intersection, .spatialSearch, .indexSearch],
      needsRows: true),
    OperatorCase(
      steps: ["Complement Plot", "SpatialSearch Plot.place within"],
      text: "NOT place GEOWITHIN geoCircle([0, 0], 0.05)", kinds: [.complement, .spatialSearch],
      pages: .unlimited, needsRows: true),
    OperatorCase(
      steps: ["Sort id ascending", "Complement Plot", "SpatialSearch Plot.place within"],
      text: "NOT place GEOWITHIN geoCircle([0, 0], 0.05)", order: [key("id")],
      kinds: [.complement, .spatialSearch], needsRows: true),
  ]

  // MARK: LinkSearch

  private static let links = [
    OperatorCase(
      steps: ["LinkSearch Plot.keeper to objects of Keeper", "KeyLookup Keeper.code == 'K1'"],
      text: "keeper.code == 'K1'", kinds: [.linkSearch, .keyLookup]),
    OperatorCase(
      steps: ["LinkSearch Plot.keeper to"], text: "keeper == objKey('Keeper', 3)",
      kinds: [.linkSearch]),
    OperatorCase(
      steps: ["LinkSearch Plot.helpers to"], text: "ANY helpers == objKey('Keeper', 2)",
      kinds: [.linkSearch]),
    OperatorCase(
      steps: [
        "LinkSearch Plot.helpers to objects of Keeper", "Filter rank > 2", "Scan Keeper",
      ], text: "ANY helpers.rank > 2", kinds: [.linkSearch], pages: .unlimited,
      needsRows: true),
    OperatorCase(
      steps: ["LinkSearch Keeper from Plot.keeper", "IndexSearch Plot.size (0, …)"],
      text: "ANY plots.size > 0", className: "Keeper", kinds: [.linkSearch, .indexSearch]),
  ]

  // MARK: NearestSearch, OrderedSearch

  private static func distance(_ path: String, _ isAscending: Bool = true) -> SortKey {
    guard let origin = GeoPoint(latitude: 2, longitude: 1.5) else { return key("id") }
    return SortKey(
      PropertyPath(path), isAscending: isAscending, by: .distance(from: origin))
  }

  private static let nearest = ["place", "border"].flatMap { path in
    // A scan follows where too few rows match.
    ["TRUEPREDICATE", "count > 0", "title == 'nowhere'"].map { text in
      OperatorCase(
        steps: ["NearestSearch Plot.\(path) from [1.5, 2.0]"], text: text, order: [distance(path)],
        kinds: [.nearestSearch], pages: .limited)
    }
  }

  private static let ordered = [
    traversal(["OrderedSearch Plot.price ascending"], [key("price")]),
    traversal(["OrderedSearch Plot.price descending"], [key("price", false)]),
    traversal(["OrderedSearch Plot.sold descending"], [key("sold", false)]),
    traversal(["OrderedSearch Plot.price [-1"], [key("price")], "price >= -1 AND price < 3"),
    traversal(["OrderedSearch Plot.id (…, 0) descending"], [key("id", false)], "id < 0"),
    traversal(
      ["Filter count > 0", "OrderedSearch Plot.size (0, …) descending"], [key("size", false)],
      "size > 0 AND count > 0"),
    traversal(
      [
        "Sort size ascending, id descending (presorted by size)",
        "OrderedSearch Plot.size ascending",
      ],
      [key("size"), key("id", false)]),
    traversal(
      ["Sort kind descending, ratio ascending (presorted by kind)", "OrderedSearch Plot"],
      [key("kind", false), key("ratio")]),
    traversal(
      [
        "Sort sold ascending, id ascending (presorted by sold)", "Filter (",
        "OrderedSearch Plot.sold [",
      ],
      [key("sold"), key("id")],
      "sold > 1970-01-01@0:0:0 OR (sold == 1970-01-01@0:0:0 AND id > 100)"),
    traversal(
      ["OrderedSearch Plot(kind, size) kind == 'a' ascending"], [key("size")], "kind == 'a'"),
    traversal(
      ["OrderedSearch Plot(title, count, id) title == null descending"],
      [key("count", false), key("id", false)], "title == null"),
  ]

  private static func traversal(
    _ steps: [String], _ order: [SortKey], _ text: String = "TRUEPREDICATE"
  ) -> OperatorCase {
    OperatorCase(
      steps: steps, text: text, order: order, kinds: [.orderedSearch], pages: .limited)
  }

  // MARK: Project

  private static let projections = [
    OperatorCase(
      steps: ["Filter count > 0", "Scan Plot"], text: "count > 0", columns: ["id", "ratio"],
      projection: "Project id, ratio (in the scan)"),
    OperatorCase(
      steps: ["IndexSearch Plot.size (0, …)"], text: "size > 0", kinds: [.indexSearch],
      columns: ["size", "id"], projection: "Project size, id (from the index)"),
    OperatorCase(
      steps: ["IndexSearch Plot.size (0, …)"], text: "size > 0", kinds: [.indexSearch],
      columns: ["note"], projection: "Project note (by key)"),
    OperatorCase(
      steps: ["Filter ratio > 1", "IndexSearch Plot.kind == 'a'"],
      text: "kind == 'a' AND ratio > 1",
      kinds: [.indexSearch], columns: ["id", "price"],
      projection: "Project id, price (with the rows)"),
    // Large values are read for the result only.
    OperatorCase(
      steps: ["Filter ratio > 1", "IndexSearch Plot.kind == 'a'"],
      text: "kind == 'a' AND ratio > 1",
      kinds: [.indexSearch], columns: ["border"], projection: "Project border (by key)"),
    OperatorCase(
      steps: ["Sort ratio descending", "Scan Plot"], text: "TRUEPREDICATE",
      order: [key("ratio", false)], pages: .unlimited, columns: ["title"],
      projection: "Project title (with the rows)"),
    OperatorCase(
      steps: ["NearestSearch Plot.place from [1.5, 2.0]"], text: "count >= 0",
      order: [distance("place")],
      kinds: [.nearestSearch], pages: .limited, columns: ["title", "keeper"],
      projection: "Project title, keeper (with the rows)"),
    OperatorCase(
      steps: ["OrderedSearch Plot.price ascending"], text: "TRUEPREDICATE", order: [key("price")],
      kinds: [.orderedSearch], pages: .limited, columns: ["id"],
      projection: "Project id (from the index)"),
    OperatorCase(
      steps: ["Filter count > 0", "OrderedSearch Plot.size (0, …) ascending"],
      text: "size > 0 AND count > 0", order: [key("size")], kinds: [.orderedSearch],
      pages: .limited, columns: ["title"], projection: "Project title (with the rows)"),
  ]
}
