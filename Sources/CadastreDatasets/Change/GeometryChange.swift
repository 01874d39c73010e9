package import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore

/// An operation on the geometries of objects, on the sphere.
package enum GeometryOperation: Sendable {
  /// The points within a distance.
  case buffer(Distance)
  /// The centroid.
  case centroid
  /// The smallest convex geometry that contains the geometry.
  case hull
  /// The geometry with fewer positions, at most a distance away.
  case simplify(Distance)
  /// A valid geometry with the same vertices.
  case repair
  /// The part inside of a region.
  case clip(Geometry)
  /// The part outside of a region.
  case erase(Geometry)
  /// The union with a geometry.
  case union(Geometry)

  /// Returns the result for a geometry.
  ///
  /// - Throws: `GeometryError` with the reason why there is none.
  func callAsFunction(_ geometry: Geometry) throws(GeometryError) -> Geometry {
    switch self {
    case .buffer(let distance): try geometry.buffered(by: distance)
    case .centroid: geometry.centroid.map(Geometry.init) ?? Geometry()
    case .hull: try geometry.sphericalConvexHull()
    case .simplify(let distance): try geometry.simplified(within: distance)
    case .repair: geometry.isValid() ? geometry : try geometry.madeValid()
    case .clip(let region): try geometry.sphericalIntersection(region)
    case .erase(let region): try geometry.sphericalDifference(region)
    case .union(let other): try geometry.sphericalUnion(other)
    }
  }
}

/// The result of a change of geometries.
package struct GeometryChangeReport: Sendable {
  /// The number of objects with another geometry.
  package var changed = 0
  /// The number of objects whose geometry is the same, or that have none.
  package var unchanged = 0
  /// The number of objects whose geometry became null, because the result is empty.
  package var emptied = 0
  /// The keys of objects whose geometry the operation refuses, with the reasons.
  package var failures: [(key: Int64, reason: String)] = []
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
    try StoreTransaction.run(on: store, isDryRun: isDryRun) { _, transaction in
      let root = try StoreQuery.root(className, in: transaction.catalogue.schema)
      guard let layout = transaction.catalogue.layout(className) else {
        throw StoreError(.corrupt("class '\(className)' has no table"), path: store)
      }
      let source = try GeometrySource(field, root, layout)
      let report = try Self.results(operation, try keys(transaction), source, transaction)
      if !isDryRun {
        for (key, value) in report.results {
          try transaction.update(className, [key], [(source.column, value)])
        }
      }
      return report.counts
    }
  }

  /// Copies the objects to a new class and replaces the geometries of the copies by the results of an operation.
  ///
  /// The copy of a class with points only has a field `geometry` for the results. Objects whose geometry the
  /// operation refuses keep it.
  ///
  /// - Parameters:
  ///   - name: The new class.
  ///   - operation: The operation.
  ///   - field: The field with the geometries; nil for the only one.
  ///   - isDryRun: Whether only to count.
  /// - Returns: The numbers of objects.
  /// - Throws: As ``mapGeometries(_:of:isDryRun:)``; the store has no new class then.
  package func mapGeometries(
    into name: String, _ operation: GeometryOperation, of field: String? = nil, isDryRun: Bool
  ) throws -> GeometryChangeReport {
    let edit = SchemaEdit(store: store)
    _ = try edit.copy(class: className, to: name)
    do {
      let report = try copyGeometries(edit, into: name, operation, of: field)
      if isDryRun { _ = try edit.drop(class: name) }
      return report
    } catch {
      _ = try? edit.drop(class: name)
      throw error
    }
  }

  private func copyGeometries(
    _ edit: SchemaEdit, into name: String, _ operation: GeometryOperation, of field: String?
  ) throws -> GeometryChangeReport {
    try StoreTransaction.run(on: store) { _, transaction in
      let matching = Set(try keys(transaction))
      guard let layout = transaction.catalogue.layout(name) else { return }
      let others = try transaction.keys(layout, after: ObjectKey(0), limit: .max)
        .map(\.rawValue).filter { !matching.contains($0) }
      if !others.isEmpty { try transaction.delete(name, others) }
    }
    let copy = MatchChange(store: store, className: name, predicate: nil)
    let schema = try OpenStores.readableStore(at: store).snapshot().catalogue.schema
    let hasGeometry =
      schema[name]?.properties.contains { $0.type == .geometry && $0.collection == nil } ?? false
    if field == nil, !hasGeometry {
      try edit.add(
        Property(name: ImportedClass.geometryName, type: .geometry, isOptional: true), to: name)
    }
    return try copy.mapGeometries(operation, of: field, isDryRun: false)
  }

  /// Computes the results of an operation for objects.
  private static func results(
    _ operation: GeometryOperation, _ keys: [Int64], _ source: GeometrySource,
    _ transaction: WriteTransaction
  ) throws -> (counts: GeometryChangeReport, results: [(key: Int64, value: Value)]) {
    let reader = try transaction.flush(.indexes)
    var report = GeometryChangeReport()
    var results: [(key: Int64, value: Value)] = []
    for key in keys {
      guard let row = try reader.row(source.layout, ObjectKey(key)),
        let geometry = source.geometry(of: row)
      else {
        report.unchanged += 1
        continue
      }
      do throws(GeometryError) {
        let result = try operation(geometry)
        if row[source.column] == .geometry(result) {
          report.unchanged += 1
        } else {
          report.changed += 1
          if result.isEmpty { report.emptied += 1 }
          results.append((key, result.isEmpty ? .null : .geometry(result)))
        }
      } catch {
        report.failures.append((key, "\(error)"))
      }
    }
    return (report, results)
  }
}

/// The columns with the geometries of a class: those that are read, and the one that is written.
struct GeometrySource {
  /// The table of the class.
  let layout: TableLayout
  /// The column that is written.
  let column: Int
  /// The point that stands for a geometry of null; nil if the class has no point.
  private let point: PointColumns?

  /// Finds the columns.
  ///
  /// - Throws: ``ChangeError`` if the class has no such field, or several geometries.
  init(_ field: String?, _ root: ObjectSchema, _ layout: TableLayout) throws(ChangeError) {
    self.layout = layout
    let names = root.properties.filter { $0.type == .geometry && $0.collection == nil }
      .map(\.name)
    guard let name = field ?? names.first, names.contains(name), let index = root.index(of: name),
      case .scalar(let column) = layout.fields[index]
    else {
      throw ChangeError(
        field.map { "'\($0)' is no geometry of '\(root.className)'" }
          ?? "'\(root.className)' has no geometry; --into NAME writes the results to a new class that has one"
      )
    }
    guard field != nil || names.count == 1 else {
      throw ChangeError(
        "'\(root.className)' has the geometries \(names.joined(separator: ", ")); name one with --field"
      )
    }
    self.column = column
    var point: PointColumns?
    for case .embedded(let embedded) in layout.fields where point == nil { point = embedded.point }
    self.point = point
  }

  /// Returns the geometry of a row; nil for null.
  func geometry(of row: [Value]) -> Geometry? {
    if case .geometry(let geometry) = row[column] { return geometry }
    guard let point, let longitude = row[point.longitude].doubleValue,
      let latitude = row[point.latitude].doubleValue,
      let position = GeoPosition(longitude: longitude, latitude: latitude)
    else { return nil }
    return try? Geometry(.point(position))
  }
}
