import CadastreFormatting
package import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore

/// An operation on the geometries of objects, on the sphere.
package enum GeometryOperation: Sendable {
  /// The points within a distance.
  case buffer(Distance)
  /// The points of polygons farther than a distance from their border.
  case inset(Distance)
  /// The centroid.
  case centroid
  /// The smallest convex geometry that contains the geometry.
  case hull
  /// The geometry with fewer positions, at most a distance away.
  case simplify(Distance)
  /// The geometries of all objects with fewer positions, at most a distance away, whose common borders stay common.
  case simplifyLayer(Distance)
  /// A valid geometry with the same vertices.
  case repair
  /// The part inside of a region.
  case clip(Geometry)
  /// The part outside of a region.
  case erase(Geometry)
  /// The union with a geometry.
  case union(Geometry)
  /// The geometry with its vertices moved to near positions of another one.
  case snap(SnapTargets, within: Distance)
  /// The geometries of all objects with near vertices moved to one position.
  case snapLayer(Distance)

  /// Checks the geometry that the operation has beside those of the objects.
  ///
  /// - Throws: ``ChangeError`` where it has no result for any object.
  func check() throws(ChangeError) {
    switch self {
    case .snap(let targets, _):
      if targets.isEmpty { throw ChangeError("the geometry of the option is empty") }
    case .clip(let region), .erase(let region), .union(let region):
      do throws(GeometryError) {
        try region.checkForOperations()
      } catch {
        throw ChangeError("the geometry of the option cannot be used: \(error)")
      }
    case .buffer, .inset, .centroid, .hull, .simplify, .simplifyLayer, .snapLayer, .repair: break
    }
  }
}

/// A function that returns the result of an operation for the key of an object and its geometry.
private typealias GeometryEvaluation = (Int64, Geometry) throws(GeometryError) -> Geometry

/// The result of a change of geometries.
package struct GeometryChangeReport: Sendable {
  /// The number of objects with another geometry.
  package var changed = 0
  /// The number of objects whose geometry is the same, or that have none.
  package var unchanged = 0
  /// The number of objects whose geometry became null, because the result is empty.
  package var emptied = 0
  /// The objects whose geometry the operation refuses, such as `icao EDDF`, with the reasons.
  package var failures: [(object: String, reason: String)] = []
}

extension MatchChange {
  /// Replaces the geometries of the objects by the results of an operation.
  ///
  /// An object whose geometry the operation refuses keeps it.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - field: The field with the geometries; nil for the only one.
  ///   - isDryRun: Whether only to count.
  /// - Returns: The numbers of objects.
  /// - Throws: ``ChangeError`` if the class has no such field, ``QueryPredicateError`` or `StoreError`; nothing is
  ///   changed then.
  /// - Complexity: O(n) in the number of objects, times the operation.
  package func mapGeometries(
    _ operation: GeometryOperation, of field: String? = nil, isDryRun: Bool
  ) throws -> GeometryChangeReport {
    try operation.check()
    return try StoreTransaction.run(on: store, isDryRun: isDryRun) { _, transaction in
      let (root, layout) = try table(transaction)
      let source = try GeometrySource(field, root, layout)
      guard let column = source.column else {
        throw ChangeError(
          "'\(className)' has no geometry; --into NAME writes the results to a new class that has one"
        )
      }
      let reader = try transaction.flush(.indexes)
      var report = GeometryChangeReport()
      var results: [(key: Int64, value: Value)] = []
      let keys = try keys(transaction)
      let evaluate = try evaluation(of: operation, keys, source, layout, reader)
      for key in keys {
        guard let row = try reader.row(layout, ObjectKey(key)) else { continue }
        let geometry = source.geometry(of: row)
        if let value = report.result(evaluate, of: geometry, in: row, key, source) {
          results.append((key, value))
        }
      }
      if !isDryRun {
        for (key, value) in results { try transaction.update(className, [key], [(column, value)]) }
      }
      return report
    }
  }

  /// Copies the objects to a new class and replaces the geometries of the copies by the results of an operation.
  ///
  /// The copy of a class with points only has a field `geometry` for the results, which is optional as the geometry of
  /// every copy. Objects whose geometry the operation refuses keep it.
  ///
  /// - Parameters:
  ///   - name: The new class.
  ///   - operation: The operation.
  ///   - field: The field with the geometries; nil for the only one.
  ///   - isDryRun: Whether only to count.
  /// - Returns: The numbers of objects.
  /// - Throws: As ``mapGeometries(_:of:isDryRun:)``, or ``ChangeError`` for an invalid name.
  /// - Complexity: O(n log n) in the number of objects, times the operation.
  package func mapGeometries(
    into name: String, _ operation: GeometryOperation, of field: String? = nil, isDryRun: Bool
  ) throws -> GeometryChangeReport {
    try operation.check()
    return try StoreTransaction.run(on: store, isDryRun: isDryRun) { _, transaction in
      let (root, layout) = try table(transaction)
      var source = try GeometrySource(field, root, layout)
      var copy = root.with(
        className: name,
        properties: root.properties.map {
          $0.name == source.name ? $0.with(isOptional: true) : $0
        })
      source.isOptional = true
      if source.column == nil {
        var names = DistinctNames(
          "_", used: Set(root.properties.flatMap { [$0.name, $0.columnName] }))
        let property = Property(
          name: names.add(ImportedClass.geometryName), type: .geometry, isOptional: true)
        copy = copy.with(
          properties: root.properties + [property], compoundIndexes: root.compoundIndexes)
      }
      let keys = try keys(transaction)
      let days = try transaction.flush(.elements).dayColumns(layout)
      let target = try transaction.adoptNew(copy, days: days)
      guard let column = try GeometrySource(field, copy, target).column else {
        throw ChangeError("'\(name)' has no geometry")
      }
      let reader = try transaction.flush(.elements)
      let rows = RowCopy(from: reader, to: transaction.catalogue, keepsLinks: true)
      let writer = RowWriter(transaction, target, properties: Array(copy.properties.indices))
      var report = GeometryChangeReport()
      let evaluate = try evaluation(of: operation, keys, source, layout, reader)
      for key in keys {
        guard let old = try reader.row(layout, ObjectKey(key)) else { continue }
        var row = try rows.row(ObjectKey(key), layout, as: target)
        let geometry = source.geometry(of: old)
        if row.values[column].isNull, let geometry { row.values[column] = .geometry(geometry) }
        if let value = report.result(evaluate, of: geometry, in: old, key, source) {
          row.values[column] = value
        }
        try writer.insert(row)
      }
      return report
    }
  }

  /// Returns the function with the results of an operation.
  ///
  /// Operations that take all geometries together read them here.
  private func evaluation(
    of operation: GeometryOperation, _ keys: [Int64], _ source: GeometrySource,
    _ layout: TableLayout, _ reader: some StoreReader
  ) throws -> GeometryEvaluation {
    func layer() throws -> [(key: Int64, geometry: Geometry)] {
      try keys.compactMap { key in
        try reader.row(layout, ObjectKey(key)).flatMap(source.geometry).map { (key, $0) }
      }
    }
    switch operation {
    case .simplifyLayer(let distance):
      let layer = try layer()
      let results = Geometry.simplified(layer.map(\.geometry), within: distance)
      let byKey = Dictionary(zip(layer.map(\.key), results)) { $1 }
      return { key, geometry in byKey[key] ?? geometry }
    case .snapLayer(let distance):
      let targets = SnapTargets(layer: try layer().map(\.geometry), within: distance)
      return try evaluation(
        of: .snap(targets, within: distance), keys, source, layout, reader)
    case .buffer(let distance):
      return { _, geometry throws(GeometryError) in
        try Self.valid(geometry).buffered(by: distance)
      }
    case .inset(let distance):
      return { _, geometry throws(GeometryError) in try Self.valid(geometry).inset(by: distance) }
    case .centroid:
      return { _, geometry throws(GeometryError) in
        try Self.valid(geometry).centroid.map(Geometry.init) ?? Geometry()
      }
    case .hull:
      return { _, geometry throws(GeometryError) in try geometry.sphericalConvexHull() }
    case .simplify(let distance):
      return { _, geometry throws(GeometryError) in try geometry.simplified(within: distance) }
    case .repair:
      return { _, geometry throws(GeometryError) in
        geometry.isValid() ? geometry : try geometry.madeValid()
      }
    case .clip(let region):
      let prepared = PreparedGeometry(region, edges: .spherical)
      return { _, geometry throws(GeometryError) in
        PreparedGeometry(geometry, edges: .spherical).intersects(prepared)
          ? try geometry.sphericalIntersection(region) : Geometry()
      }
    case .erase(let region):
      let prepared = PreparedGeometry(region, edges: .spherical)
      return { _, geometry throws(GeometryError) in
        PreparedGeometry(geometry, edges: .spherical).intersects(prepared)
          ? try geometry.sphericalDifference(region) : geometry
      }
    case .union(let other):
      return { _, geometry throws(GeometryError) in
        try Geometry.sphericalUnion(of: [geometry, other])
      }
    case .snap(let targets, let distance):
      return { _, geometry throws(GeometryError) in
        try geometry.snapped(to: targets, within: distance)
      }
    }
  }

  /// Returns a geometry; throws if it is invalid.
  private static func valid(_ geometry: Geometry) throws(GeometryError) -> Geometry {
    guard geometry.isValid() else {
      throw .geometryLibrary("the geometry is invalid; --repair makes it valid")
    }
    return geometry
  }

  /// Returns the class of the change and its table.
  func table(
    _ transaction: WriteTransaction
  ) throws -> (root: ObjectSchema, layout: TableLayout) {
    let root = try StoreQuery.root(className, in: transaction.catalogue.schema)
    guard let layout = transaction.catalogue.layout(className) else {
      throw StoreError(.corrupt("class '\(className)' has no table"), path: store)
    }
    return (root, layout)
  }
}

extension WriteTransaction {
  /// Creates the table of a new class.
  ///
  /// - Parameters:
  ///   - schema: The class.
  ///   - embedded: The embedded classes of its properties that may be new too.
  ///   - days: The names of its columns that contain days.
  /// - Returns: The table.
  /// - Throws: ``ChangeError`` if the name is taken or invalid, or `StoreError`.
  func adoptNew(
    _ schema: ObjectSchema, _ embedded: [ObjectSchema] = [], days: Set<String> = []
  ) throws -> TableLayout {
    let name = schema.className
    guard catalogue.schema[name] == nil else {
      throw ChangeError("the store has a class '\(printable(name))' already")
    }
    let classes = [schema] + embedded
    let errors = SchemaRules.errors(of: catalogue.schema.replacing(classes), isStored: true)
    guard errors.isEmpty else { throw ChangeError(printable(errors.joined(separator: " "))) }
    try adopt(Schema(classes))
    guard let layout = catalogue.layout(name) else {
      throw StoreError(.corrupt("class '\(name)' has no table"), path: path)
    }
    let copied = days.intersection(layout.columns.filter { $0.type == .date }.map(\.name))
    if !copied.isEmpty { try addDayColumns(copied, of: layout) }
    return layout
  }
}

extension GeometryChangeReport {
  /// Counts the result of an operation, and returns the value to store; nil if the geometry stays.
  ///
  /// - Parameters:
  ///   - evaluate: Returns the result of the operation.
  ///   - geometry: The geometry; nil for null.
  ///   - row: The values of the object.
  ///   - key: The key of the object.
  ///   - source: The columns of the geometry.
  /// - Returns: The value.
  fileprivate mutating func result(
    _ evaluate: GeometryEvaluation, of geometry: Geometry?, in row: [Value], _ key: Int64,
    _ source: GeometrySource
  ) -> Value? {
    guard let geometry else {
      unchanged += 1
      return nil
    }
    do throws(GeometryError) {
      let result = try evaluate(key, geometry)
      // What is not well formed would be lost in the store.
      _ = try Geometry(result.shape)
      guard result != geometry else {
        unchanged += 1
        return nil
      }
      guard !result.isEmpty || source.isOptional else {
        failures.append(
          (
            source.name(of: row, key),
            "the result is empty, and the field is required; --into NAME makes a class in which it is optional"
          ))
        return nil
      }
      changed += 1
      if result.isEmpty { emptied += 1 }
      return result.isEmpty ? .null : .geometry(result)
    } catch {
      failures.append((source.name(of: row, key), "\(error)"))
      return nil
    }
  }
}

/// The geometries of the objects of a class: those of a field, or those of the points of a class without one.
struct GeometrySource {
  /// The column with the geometries; nil if the class has only points.
  let column: Int?
  /// The name of the field with the geometries; nil if the class has only points.
  let name: String?
  /// Whether the geometry may be null.
  var isOptional: Bool
  private let point: PointColumns?
  /// The name and the column of the primary key; nil for a class without one.
  private let primaryKey: (name: String, column: Int)?

  /// Finds the columns.
  ///
  /// - Throws: ``ChangeError`` if the class has no such field, several geometries, or neither geometries nor points.
  init(_ field: String?, _ root: ObjectSchema, _ layout: TableLayout) throws(ChangeError) {
    let names = root.properties.filter { $0.type == .geometry && $0.collection == nil }
      .map(\.name)
    guard field != nil || names.count <= 1 else {
      throw ChangeError(
        "'\(root.className)' has the geometries \(names.joined(separator: ", ")); name one with --field"
      )
    }
    if let field, !names.contains(field) {
      throw ChangeError("'\(printable(field))' is no geometry of '\(root.className)'")
    }
    var column: Int?
    if let name = field ?? names.first, let index = root.index(of: name),
      case .scalar(let found) = layout.fields[index]
    {
      column = found
    }
    var point: PointColumns?
    for case .embedded(let embedded) in layout.fields where point == nil { point = embedded.point }
    guard column != nil || point != nil else {
      throw ChangeError("'\(root.className)' has neither a geometry nor a point")
    }
    self.column = column
    name = column.flatMap { _ in field ?? names.first }
    primaryKey = root.primaryKeyProperty.flatMap { property in
      guard let index = root.index(of: property.name),
        case .scalar(let column) = layout.fields[index]
      else { return nil }
      return (property.name, column)
    }
    isOptional = (field ?? names.first).flatMap { root[$0]?.isOptional } ?? true
    self.point = column == nil ? point : nil
  }

  /// Returns the name of an object for messages: its primary key, or its key where the class has none.
  func name(of row: [Value], _ key: Int64) -> String {
    guard let primaryKey else { return "key \(key)" }
    return "\(primaryKey.name) \(FieldText.plain(.value(row[primaryKey.column])))"
  }

  /// Returns the geometry of a row; nil for null.
  func geometry(of row: [Value]) -> Geometry? {
    if let column {
      if case .geometry(let geometry) = row[column] { geometry } else { nil }
    } else if let point, let longitude = row[point.longitude].doubleValue,
      let latitude = row[point.latitude].doubleValue,
      let position = GeoPosition(longitude: longitude, latitude: latitude)
    {
      try? Geometry(.point(position))
    } else {
      nil
    }
  }
}
