import CadastreGeometry
import CadastreModel
import CadastreQuery
import CadastreStore

extension MatchChange {
  /// Unites the geometries of objects with equal values of fields, on the sphere, into the objects of a new class.
  ///
  /// A new object has the fields, the number of united objects as `count`, and the union as `geometry`, which is null
  /// where no object has a geometry.
  ///
  /// - Parameters:
  ///   - name: The new class.
  ///   - fields: The fields with single values; none to unite all objects.
  ///   - field: The field with the geometries; nil for the only one.
  ///   - isDryRun: Whether only to count.
  /// - Returns: The number of new objects, and that of the united ones.
  /// - Throws: ``ChangeError`` for a field without single values, for invalid names, or if geometries cannot be
  ///   united, ``QueryPredicateError`` or `StoreError`; nothing is changed then.
  /// - Complexity: O(n log n) in the number of positions.
  package func dissolve(
    into name: String, by fields: [String], of field: String? = nil, isDryRun: Bool
  ) throws -> (groups: Int, objects: Int) {
    try StoreTransaction.run(on: store, isDryRun: isDryRun) { _, transaction in
      let (root, layout) = try table(transaction)
      let source = try GeometrySource(field, root, layout)
      let columns = try fields.map { try Self.column($0, root, layout) }
      let keys = try keys(transaction)
      let reader = try transaction.flush(.indexes)
      var positions: [[ValueKey]: Int] = [:]
      var groups: [(values: [Value], count: Int64, geometries: [Geometry])] = []
      for key in keys {
        guard let row = try reader.row(layout, ObjectKey(key)) else { continue }
        let values = columns.map { row[$0.column] }
        let position = positions[values.map(ValueKey.init), default: groups.count]
        if position == groups.count {
          positions[values.map(ValueKey.init)] = position
          groups.append((values, 0, []))
        }
        groups[position].count += 1
        if let geometry = source.geometry(of: row) {
          groups[position].geometries.append(geometry)
        }
      }
      let union = Self.unionClass(name, columns.map(\.property))
      let dayColumns = try reader.dayColumns(layout)
      let days = zip(columns, union.properties).filter {
        dayColumns.contains(layout.columns[$0.0.column].name)
      }
      let target = try transaction.adoptNew(union, days: Set(days.map(\.1.name)))
      let writer = RowWriter(
        transaction, target, properties: Array(union.properties.indices))
      for group in groups {
        let geometry = try Self.united(group.geometries, group.values)
        var row = ImportRow(columns: target.columns.count)
        for (value, layout) in zip(group.values + [.int(group.count), geometry], target.fields) {
          if case .scalar(let column) = layout { row.values[column] = value }
        }
        try writer.insert(row)
      }
      return (groups.count, keys.count)
    }
  }

  /// Returns the union of geometries; null for none.
  private static func united(
    _ geometries: [Geometry], _ values: [Value]
  ) throws(ChangeError) -> Value {
    do throws(GeometryError) {
      let union = try Geometry.sphericalUnion(of: geometries)
      return union.isEmpty ? .null : .geometry(union)
    } catch {
      let group = values.map { FieldText.plain(.value($0)) }.joined(separator: ", ")
      throw ChangeError("the geometries of the group '\(group)' cannot be united: \(error)")
    }
  }

  private static func column(
    _ name: String, _ root: ObjectSchema, _ layout: TableLayout
  ) throws(ChangeError) -> (property: Property, column: Int) {
    guard let index = root.index(of: name), case .scalar(let column) = layout.fields[index],
      root.properties[index].type != .geometry
    else {
      throw ChangeError("--by: '\(name)' is no field of '\(root.className)' with a single value")
    }
    return (root.properties[index], column)
  }

  private static func unionClass(_ name: String, _ fields: [Property]) -> ObjectSchema {
    var names = DistinctNames("_")
    var properties = fields.map { field in
      Property(name: names.add(field.name), type: field.type, isOptional: field.isOptional)
    }
    properties.append(Property(name: names.add("count"), type: .int))
    properties.append(
      Property(name: names.add(ImportedClass.geometryName), type: .geometry, isOptional: true))
    return ObjectSchema(className: name, properties: properties)
  }
}
