import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastrePredicate

struct MapGeometryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map-geometry",
    abstract: "Replace the geometries of objects by the results of an operation.",
    discussion: """
      Edges are great circles, so that ±180° and the poles are no special cases. Without --into the objects \
      themselves change; with it they are copied to a new class first, and copies of points get a field geometry. \
      Objects whose geometry the operation refuses keep it; the first reason is printed, and the exit status is 2. Lines and \
      polygons that reach farther than 88° from their middle, together with the region that they touch, are refused; a buffer is at \
      most 84° wide. Distances of --snap and --join-borders that are near those between the vertices change shapes.

      EXAMPLES
        cadastre map-geometry a.cadastre Airport "country == 'FR'" --buffer 5km \\
          --into Surrounding
        cadastre map-geometry a.cadastre Country "name == 'Spain'" \\
          --simplify 10km --dry-run
        cadastre map-geometry a.cadastre Country --simplify 5km \\
          --keep-borders --into Overview
        cadastre map-geometry a.cadastre Country "name == 'France'" --into Mainland \\
          --clip 'POLYGON((-5 42, 9 42, 9 51, -5 51, -5 42))'
      """)

  @OptionGroup var match: MatchOptions

  @Option(
    help: ArgumentHelp("The points within a distance.", valueName: "500m|5km|3mi"))
  var buffer: String?

  @Option(
    help: ArgumentHelp(
      "The points of polygons farther than a distance from their border.",
      valueName: "500m|5km|3mi"))
  var inset: String?

  @Option(
    help: ArgumentHelp(
      "Fewer positions, at most a distance from the original lines.", valueName: "500m|5km|3mi"))
  var simplify: String?

  @Flag(help: "Keep the common borders of the objects in --simplify.")
  var keepBorders = false

  @Flag(help: "The centroids.")
  var centroid = false

  @Flag(help: "The convex hulls.")
  var hull = false

  @Flag(help: "Valid geometries in place of invalid ones.")
  var repair = false

  @Option(
    help: ArgumentHelp("The parts inside of a region.", valueName: "WKT|GEOJSON|@FILE"))
  var clip: String?

  @Option(
    help: ArgumentHelp("The parts outside of a region.", valueName: "WKT|GEOJSON|@FILE"))
  var erase: String?

  @Option(
    help: ArgumentHelp("The union with a geometry.", valueName: "WKT|GEOJSON|@FILE"))
  var union: String?

  @Option(
    help: ArgumentHelp(
      "Vertices move to near positions of a geometry.", valueName: "WKT|GEOJSON|@FILE"))
  var snap: String?

  @Option(
    help: ArgumentHelp("The greatest distance of --snap.", valueName: "0.5m|5m|1km"))
  var tolerance: String?

  @Option(
    help: ArgumentHelp(
      "Vertices of all objects within a distance move together, so that borders that nearly agree become equal.",
      valueName: "0.5m|5m|1km"))
  var joinBorders: String?

  @Option(
    help: ArgumentHelp(
      "The field with the geometries; by default the only one.", valueName: "FIELD"),
    completion: .custom(StoreCompletion.fieldNames))
  var field: String?

  @Option(help: ArgumentHelp("A new class for the results.", valueName: "CLASS"))
  var into: String?

  @Flag(help: "Print the numbers of objects, change nothing.")
  var dryRun = false

  func validate() throws {
    let count =
      [buffer, inset, simplify, clip, erase, union, snap, joinBorders].compactMap(\.self).count
      + [centroid, hull, repair].count { $0 }
    guard count == 1 else {
      throw ValidationError(
        "expected one of --buffer, --inset, --simplify, --centroid, --hull, --repair, --clip, --erase, --union, --snap and --join-borders"
      )
    }
    guard !keepBorders || simplify != nil else {
      throw ValidationError("--keep-borders needs --simplify")
    }
    guard (snap == nil) == (tolerance == nil) else {
      throw ValidationError(
        "--snap and --tolerance need each other: --snap @border.geojson --tolerance 5m")
    }
    for (name, text) in [
      ("--buffer", buffer), ("--inset", inset), ("--simplify", simplify),
      ("--tolerance", tolerance),
      ("--join-borders", joinBorders),
    ] {
      // A number alone would be an angle in radians.
      let isDistance = text.map { DistanceUnit.distance($0) != nil && $0.last?.isLetter == true }
      guard isDistance ?? true else {
        throw ValidationError("\(name) expects a distance such as 500m, 5km or 3mi")
      }
    }
  }

  func run() throws {
    let operation = try operation()
    let change = try match.change()
    let report =
      try into.map {
        try change.mapGeometries(into: $0, operation, of: field, isDryRun: dryRun)
      } ?? change.mapGeometries(operation, of: field, isDryRun: dryRun)
    var text =
      "\(dryRun ? "would change" : "changed") \(grouped(report.changed)) "
      + (report.changed == 1 ? "geometry" : "geometries")
    text += into.map { " in \(printable($0))" } ?? " of \(match.className)"
    if report.unchanged > 0 { text += ", \(grouped(report.unchanged)) stay as they are" }
    if report.emptied > 0 { text += ", \(grouped(report.emptied)) became null" }
    Terminal.say(text)
    if let first = report.failures.first {
      Terminal.say(
        "note: \(grouped(report.failures.count)) refused, the first, of the object with \(printable(first.object)): "
          + printable(first.reason))
      throw ExitCode(2)
    }
  }

  private func operation() throws -> GeometryOperation {
    if let distance = buffer.flatMap(DistanceUnit.distance) { return .buffer(distance) }
    if let distance = inset.flatMap(DistanceUnit.distance) { return .inset(distance) }
    if let distance = simplify.flatMap(DistanceUnit.distance) {
      return keepBorders ? .simplifyLayer(distance) : .simplify(distance)
    }
    if let distance = joinBorders.flatMap(DistanceUnit.distance) { return .snapLayer(distance) }
    if centroid { return .centroid }
    if hull { return .hull }
    if let clip { return .clip(try Self.geometry(clip, "--clip")) }
    if let erase { return .erase(try Self.geometry(erase, "--erase")) }
    if let union { return .union(try Self.geometry(union, "--union")) }
    if let snap, let distance = tolerance.flatMap(DistanceUnit.distance) {
      return .snap(SnapTargets(try Self.geometry(snap, "--snap")), within: distance)
    }
    return .repair
  }

  private static func geometry(_ text: String, _ option: String) throws -> Geometry {
    let argument: PredicateArgument
    do throws(QueryPredicateError) {
      argument = try PredicateArgument(commandLine: text)
    } catch {
      throw ValidationError("\(error)".replacing("--arg", with: option))
    }
    switch argument {
    case .value(.geometry(let geometry)): return geometry
    case .shape(let shape):
      if let geometry = shape.geometry { return geometry }
    case .value(.string(let text)):
      if let geometry = try? Geometry(wkt: text) { return geometry }
    default:
      if let geometry = try? Geometry(geoJSON: Array(text.utf8)) { return geometry }
    }
    throw ValidationError("\(option) expects WKT, GeoJSON or @FILE with a geometry")
  }
}

struct DissolveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dissolve",
    abstract: "Unite the geometries of objects with equal values into a new class.",
    discussion: """
      Each object of the new class has the fields of --by, the number of united objects as count, and the union as \
      geometry; edges are great circles. Without --by all objects are united.

      EXAMPLES
        cadastre dissolve a.cadastre Country --by continent --into Continent
        cadastre dissolve a.cadastre Country "continent == 'Europe'" --into Europe
      """)

  @OptionGroup var match: MatchOptions

  @Option(
    help: ArgumentHelp("The fields whose equal values make a group.", valueName: "A,B"),
    completion: .custom(StoreCompletion.fieldNames))
  var by: String?

  @Option(
    help: ArgumentHelp(
      "The field with the geometries; by default the only one.", valueName: "FIELD"),
    completion: .custom(StoreCompletion.fieldNames))
  var field: String?

  @Option(help: ArgumentHelp("The new class.", valueName: "CLASS"))
  var into: String

  @Flag(help: "Print the numbers of objects, change nothing.")
  var dryRun = false

  func run() throws {
    let fields = by?.split(separator: ",").map { String($0.trimmingPrefix(while: \.isWhitespace)) }
    let (groups, objects) = try match.change().dissolve(
      into: into, by: fields ?? [], of: field, isDryRun: dryRun)
    Terminal.say(
      "\(dryRun ? "would unite" : "united") \(counted(objects, "object")) of \(match.className) to "
        + "\(counted(groups, "object")) of \(printable(into))")
  }
}
