package import CadastreGeometry
package import CadastreModel
import CadastreSQLite
package import CadastreStore
import Foundation

/// Writes a GeoPackage with one layer of points and its spatial index.
///
///     let writer = try GeoPackageWriter(
///       path: "cities.gpkg", layer: "cities", columns: [("name", .string)])
///     try writer.write([.string("Oslo")], place: oslo)
///     try writer.finish()
///
/// It is written beside its place, under a name that ends in `.partial`, and gets its name when it
/// is finished; what is not finished is removed. Dates are cut off at the millisecond, and NaN, for
/// which SQLite has no form, is null.
package final class GeoPackageWriter {
  private let path: String
  private let isReplacing: Bool
  private let schema: GeoPackageSchema
  private let partialPath: String
  private var connection: Connection?
  private let insertion: String
  private var count: Int64 = 0
  private var entries: [SpatialEntry] = []
  private var extent: SIMD4<Double>?
  private var hasAltitude = false

  /// Starts a file.
  ///
  /// - Parameters:
  ///   - path: Where it is to be.
  ///   - layer: The name of its layer and table.
  ///   - columns: The names and types of the columns; nil for values of several types, as text.
  ///   - isReplacing: Whether a file that is there goes once this one is finished.
  /// - Throws: ``StoreError`` when a file is there already, or cannot be made.
  package init(
    path: String, layer: String, columns: [(name: String, type: PropertyType?)],
    isReplacing: Bool = false
  ) throws(StoreError) {
    guard isReplacing || access(path, F_OK) != 0 else {
      throw StoreError(.fileExists, path: path)
    }
    self.path = path
    self.isReplacing = isReplacing
    let schema = GeoPackageSchema(layer: layer, columns: columns)
    self.schema = schema
    partialPath = path + ".partial"
    // What an export that was killed has left.
    unlink(partialPath)
    let connection = try Connection.writingForeign(partialPath)
    self.connection = connection
    let places = Array(repeating: "?", count: columns.count + 2).joined(separator: ", ")
    insertion =
      "INSERT INTO \(SQL.quoted(layer)) ("
      + ([schema.key, schema.geometry] + schema.columns).map(SQL.quoted).joined(separator: ", ")
      + ") VALUES (\(places))"
    // Nobody reads the file before it is finished, and then it is made durable as a whole.
    try connection.run("PRAGMA journal_mode = MEMORY")
    try connection.run("PRAGMA synchronous = OFF")
    try connection.run("BEGIN")
    try schema.make(connection)
  }

  deinit {
    guard connection != nil else { return }
    connection = nil
    unlink(partialPath)
  }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - values: A value for every column, in their order.
  ///   - place: Where it is; nil if it is nowhere.
  /// - Throws: ``StoreError`` when there is no room.
  package func write(_ values: [Value], place: GeoPoint?) throws(StoreError) {
    guard let connection else { return }
    count += 1
    let statement = try connection.statement(insertion)
    try statement.bind(.int(count), at: 1)
    if let place {
      try statement.bind(.data(Data(GeometryBlob.bytes(place))), at: 2)
      note(place)
    } else {
      try statement.bind(.null, at: 2)
    }
    for (index, value) in values.enumerated() {
      try statement.bind(Self.stored(value), at: index + 3)
    }
    try statement.run()
  }

  /// Writes the index and the contents, and gives the file its name.
  ///
  /// - Throws: ``StoreError`` when there is no room, or a file of that name by now.
  /// - Complexity: O(n log n) in the rows with places.
  package func finish() throws(StoreError) {
    guard let connection else { return }
    try PackedRTree(schema.index, connection).replace(with: entries)
    try schema.enter(extent: extent, hasAltitude: hasAltitude, connection)
    try connection.run("COMMIT")
    self.connection = nil
    defer { unlink(partialPath) }
    try FinishedFile.publish(partialPath, as: path, isReplacing: isReplacing)
  }

  private func note(_ place: GeoPoint) {
    entries.append(
      SpatialEntry(key: count, longitude: place.longitude, latitude: place.latitude))
    let (x, y) = (place.longitude, place.latitude)
    extent =
      extent.map {
        SIMD4(min($0[0], x), min($0[1], y), max($0[2], x), max($0[3], y))
      } ?? SIMD4(x, y, x, y)
    hasAltitude = hasAltitude || place.altitude != 0
  }

  /// A value as other programs expect it in a file.
  private static func stored(_ value: Value) -> Value {
    switch value {
    case .null, .int, .string, .data: value
    case .bool(let value): .int(value ? 1 : 0)
    case .float(let value): stored(.double(Double(value)))
    // The zero with a minus sign is one without it to SQLite.
    case .double(let value): value.isNaN ? .null : .double(value == 0 ? 0 : value)
    case .date(let moment): .string(text(moment))
    case .objectId, .uuid, .decimal, .link, .object, .list, .map:
      .string(FieldText.plain(.value(value)))
    }
  }

  /// A moment as the standard wants it: in UTC, with three digits behind the second.
  private static func text(_ moment: Timestamp) -> String {
    let milliseconds = String(1000 + moment.nanoseconds / 1_000_000).dropFirst()
    return Timestamp(seconds: moment.seconds).description.dropLast() + "." + milliseconds + "Z"
  }
}

// Not Sendable: every row moves its place in the file.
@available(*, unavailable)
extension GeoPackageWriter: Sendable {}
