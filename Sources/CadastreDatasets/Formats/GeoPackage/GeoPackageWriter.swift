package import CadastreGeometry
package import CadastreModel
import CadastreSQLite
package import CadastreStore
import Foundation

/// A writer of a GeoPackage with layers and their spatial indexes.
///
///     let writer = try GeoPackageWriter(file)
///     try writer.begin(layer: "cities", columns: [("name", .string)])
///     try writer.write([.string("Oslo")], geometry: Geometry(oslo))
///     try writer.finish()
///
/// The file gets its name when it is finished, see ``OutputFile``.
/// Dates have at least milliseconds, and more digits where these are not enough. NaN becomes null in
/// columns of numbers, because SQLite cannot store it. Mixed values are text, as in CSV.
package final class GeoPackageWriter {
  /// The layer that is being written.
  fileprivate struct Layer {
    let schema: GeoPackageSchema
    let insertion: String
    var count: Int64 = 0
    let entries: SpatialEntries
    var extent: SIMD4<Double>?
    var hasAltitude = false
  }

  /// What the geometries of all layers have in common.
  struct Content {
    /// The types.
    var kinds: Set<Geometry.Kind> = []
    /// Whether one has an altitude.
    var hasAltitude = false
    /// The names of the columns with dates that are no days.
    var times: [String] = []
  }

  /// The content so far.
  private(set) var content = Content()
  private let file: OutputFile
  private var connection: Connection?
  private var layer: Layer?

  /// Adds columns with dates that are no days to the content.
  func noteTimes(_ names: [String]) { content.times += names }

  /// Creates the tables of a file without layers.
  ///
  /// - Parameter file: The file to write; the writer finishes it.
  /// - Throws: `StoreError` if writing fails, ``OutputError`` if the file is a pipe or device.
  package init(_ file: OutputFile) throws {
    guard let partialPath = file.partialPath else {
      throw OutputError(.special, path: file.path)
    }
    self.file = file
    let connection = try Connection.writingForeign(partialPath, isShared: false)
    self.connection = connection
    // A journal in memory suffices: other processes read only the finished file, which `publish`
    // makes durable.
    try connection.run("PRAGMA journal_mode = MEMORY")
    try connection.run("PRAGMA synchronous = OFF")
    try connection.run("BEGIN")
    try GeoPackageSchema.createTables(connection)
  }

  /// Completes the previous layer, and creates the table of the next one.
  ///
  /// - Parameters:
  ///   - name: The name of the layer and its table, different from those of the previous layers.
  ///   - columns: The names and types of the columns; a type of nil means text.
  ///   - days: The names of the columns of dates without a time of day.
  ///   - hasShapes: Whether geometries may be lines, polygons or collections.
  /// - Throws: `StoreError` if writing fails.
  package func begin(
    layer name: String, columns: [(name: String, type: PropertyType?)], days: Set<String> = [],
    hasShapes: Bool = false
  ) throws(StoreError) {
    guard let connection else { return }
    try completeLayer(connection)
    let schema = GeoPackageSchema(
      layer: name, columns: columns, days: days, hasShapes: hasShapes)
    try schema.createLayer(connection)
    let parameters = Array(repeating: "?", count: columns.count + 2).joined(separator: ", ")
    layer = Layer(
      schema: schema,
      insertion: "INSERT INTO \(SQL.quoted(name)) ("
        + ([schema.key, schema.geometry] + schema.columns).map(SQL.quoted).joined(separator: ", ")
        + ") VALUES (\(parameters))",
      entries: SpatialEntries(for: file.path))
  }

  /// Appends a row.
  ///
  /// - Parameters:
  ///   - values: A value for each column, in their order.
  ///   - geometry: The geometry; nil for none.
  /// - Throws: `StoreError` if writing fails, for example on a full disk.
  package func write(_ values: [Value], geometry: Geometry?) throws(StoreError) {
    guard let connection, var layer else { return }
    defer { self.layer = layer }
    layer.count += 1
    let statement = try connection.statement(layer.insertion)
    try statement.bind(.int(layer.count), at: 1)
    if let geometry, !geometry.isEmpty {
      let envelope = PreparedGeometry(geometry, edges: .planar).bounds
      try statement.bind(.data(Data(GeometryBlob.bytes(geometry, envelope))), at: 2)
      if let envelope { try layer.add(envelope) }
      let hasAltitude = geometry.hasAltitude
      layer.hasAltitude = layer.hasAltitude || hasAltitude
      content.kinds.insert(geometry.kind)
      content.hasAltitude = content.hasAltitude || hasAltitude
    } else {
      try statement.bind(.null, at: 2)
    }
    for (index, value) in values.enumerated() {
      try statement.bind(
        layer.schema.isText(index) ? Self.text(value) : Self.stored(value), at: index + 3)
    }
    try statement.run()
  }

  /// Writes the index and the metadata of the last layer, and renames the file.
  ///
  /// - Throws: `StoreError` if writing fails, ``OutputError`` if the final path exists by now.
  /// - Complexity: O(n log n) in the number of geometries of the layer.
  package func finish() throws {
    guard let connection else { return }
    try completeLayer(connection)
    try connection.run("COMMIT")
    self.connection = nil
    try file.finish()
  }

  private func completeLayer(_ connection: Connection) throws(StoreError) {
    guard let layer else { return }
    self.layer = nil
    try PackedRTree(layer.schema.index, connection).replace(with: layer.entries)
    try layer.schema.register(
      extent: layer.extent, hasAltitude: layer.hasAltitude, connection)
  }

  /// Returns a number in a text column as text, because SQLite would convert it to a text of 15
  /// digits.
  private static func text(_ value: Value) -> Value {
    value.isNull ? .null : .string(FieldText.exact(value))
  }

  /// Converts a value to the types of the standard.
  private static func stored(_ value: Value) -> Value {
    switch value {
    case .null, .int, .string, .data: value
    case .bool(let value): .int(value ? 1 : 0)
    case .float(let value): stored(.double(Double(value)))
    // SQLite does not preserve the sign of zero.
    case .double(let value): value.isNaN ? .null : .double(value == 0 ? 0 : value)
    case .date(let timestamp): .string(text(timestamp))
    case .objectId, .uuid, .decimal, .geometry, .link, .object, .list, .map:
      .string(FieldText.plain(.value(value)))
    }
  }

  /// Returns a timestamp in the format of the standard: UTC with milliseconds, or more digits.
  private static func text(_ timestamp: Timestamp) -> String {
    let text = timestamp.description.dropLast()
    let fraction = text.split(separator: ".").dropFirst().first ?? ""
    return text + (fraction.isEmpty ? "." : "")
      + String(repeating: "0", count: max(0, 3 - fraction.count)) + "Z"
  }
}

extension GeoPackageWriter.Layer {
  /// Adds the envelope of the last row to the index and the extent.
  fileprivate mutating func add(_ envelope: Envelope) throws(StoreError) {
    try entries.add(SpatialEntry(key: count, envelope))
    let sides = SIMD4(
      envelope.west, envelope.south, envelope.east, envelope.north)
    extent =
      extent.map {
        SIMD4(
          min($0[0], sides[0]), min($0[1], sides[1]), max($0[2], sides[2]), max($0[3], sides[3]))
      } ?? sides
  }
}

// Not Sendable: a connection to SQLite is used by one thread at a time.
@available(*, unavailable)
extension GeoPackageWriter: Sendable {}

extension ObjectExport {
  /// Writes a GeoPackage; the classes after the first one are layers with all of their objects.
  ///
  /// - Parameter file: The file.
  /// - Returns: The number of objects, and the content of their geometries.
  /// - Throws: ``OutputError``, `StoreError`, or the error of a query.
  func writeLayers(
    to file: OutputFile
  ) throws -> (count: Int, content: GeoPackageWriter.Content) {
    let columns = try query.typedColumns(select)
    let writer = try GeoPackageWriter(file)
    var count = try write(query, keys, columns, asLayerOf: writer)
    for name in otherClasses {
      let other = try query.query(of: name, nil)
      count += try write(other, try other.keys(), try other.typedColumns(nil), asLayerOf: writer)
    }
    try writer.finish()
    return (count, writer.content)
  }

  private func write(
    _ query: StoreQuery, _ keys: [Int64], _ columns: [OutputColumn],
    asLayerOf writer: GeoPackageWriter
  ) throws -> Int {
    let layer = FeatureColumns(columns, of: try query.columns(nil))
    try writer.begin(
      layer: query.className, columns: layer.columnTypes, days: layer.days,
      hasShapes: layer.hasShapes)
    writer.noteTimes(
      layer.columnTypes.filter { $0.type == .date && !layer.days.contains($0.name) }.map(\.name))
    var isUndivided = false
    var count = 0
    try query.forEachRecord(keys) { record in
      let (geometry, isDivided) = layer.planarShape(record)
      if !isDivided { isUndivided = true }
      try writer.write(layer.values(record), geometry: geometry)
      count += 1
    }
    if isUndivided { notice(FeatureColumns.undividedNotice) }
    return count
  }
}
