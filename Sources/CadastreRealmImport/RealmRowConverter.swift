import CadastreModel
import CadastreRealmFile
import CadastreStore

/// A converter of objects of one class to rows.
// A class, because recursive embedded classes refer to it.
final class RealmRowConverter {
  private struct Step {
    let column: Int
    let property: Property
    /// The class and the property, for messages.
    let name: String
    let field: FieldLayout
  }

  private let table: RealmFileTable
  private let steps: [Step]
  private let point: PointColumns?
  private let state: RealmConversion
  /// The number of columns of the class's table; 0 if its objects are in their owners' rows.
  private let columnCount: Int

  /// Creates a converter.
  ///
  /// - Parameters:
  ///   - table: The table of the class in the file.
  ///   - schema: The class.
  ///   - fields: The storage of the properties of the class.
  ///   - point: The point columns of a class with the shape of a point; nil for other classes.
  ///   - columnCount: The number of columns of the table of the class.
  ///   - state: The state of the import.
  init(
    _ table: RealmFileTable, _ schema: ObjectSchema, _ fields: [FieldLayout],
    _ point: PointColumns?, columnCount: Int = 0, _ state: RealmConversion
  ) {
    self.table = table
    self.point = point
    self.state = state
    self.columnCount = columnCount
    steps = zip(schema.properties, fields).enumerated().map { index, entry in
      Step(
        column: index, property: entry.0, name: "\(schema.className).\(entry.0.name)",
        field: entry.1)
    }
  }

  /// Converts an object to a row of the table of its class.
  ///
  /// - Throws: `RealmFileError` or ``RealmImportError``.
  func row(_ cluster: RealmFileCluster, _ index: Int, depth: Int = 0) throws -> ImportRow {
    var row = ImportRow(columns: columnCount)
    try fill(&row, cluster, index, depth)
    return row
  }

  /// Writes the values of an object into its row, or into the row of its owner.
  private func fill(
    _ row: inout ImportRow, _ cluster: RealmFileCluster, _ index: Int, _ depth: Int
  ) throws {
    var content = PointColumns.Content(type: "", coordinates: [])
    for step in steps {
      let value = try cluster.value(index, step.column, state.pass)
      switch step.field {
      case .scalar(let column):
        row.values[column] =
          step.property.type == .any ? try state.links.mixed(value, for: step.name) : value
      case .link(let column):
        guard let key = try link(value, step) else { continue }
        row.values[column] = .link(key)
      case .embedded(let embedded):
        guard let object = try state.owned(value, step.property, step.name, depth) else { continue }
        row.values[embedded.presence] = .int(1)
        let inner = try state.converter(embedded)
        try inner.fill(&row, object.cluster, object.row, depth + 1)
      case .owned(let column):
        guard let target = step.property.objectClassName,
          let owned = try ownedRow(value, step, depth)
        else { continue }
        row.members.append(.owned(column: column, className: target, owned))
      case .collection(let layout):
        row.values[layout.countColumn] = .int(0)
        if let member = try collection(value, layout, step, depth) { row.members.append(member) }
      case .pointType:
        if case .string(let type) = value { content.type = type }
      case .pointCoordinates:
        if case .list(let values) = value { content.coordinates = values.compactMap(\.doubleValue) }
      }
    }
    point?.write(content, to: &row.values)
  }

  private func link(_ value: Value, _ step: Step) throws -> ObjectKey? {
    guard case .link(let key) = value, let target = table.columns[step.column].target else {
      return nil
    }
    return try state.links.key(target, key, for: step.name)
  }

  private func ownedRow(_ value: Value, _ step: Step, _ depth: Int) throws -> ImportRow? {
    guard let object = try state.owned(value, step.property, step.name, depth) else { return nil }
    let converter = try state.converter(table: step.property.objectClassName ?? "")
    return try converter.row(object.cluster, object.row, depth: depth + 1)
  }

  private func collection(
    _ value: Value, _ layout: CollectionLayout, _ step: Step, _ depth: Int
  ) throws -> ImportRow.Member? {
    switch value {
    case .list(let values):
      var elements: [ImportRow.Element] = []
      elements.reserveCapacity(values.count)
      for value in values {
        // A list cannot contain null in place of an object.
        guard let element = try element(value, layout, step, depth) else { continue }
        elements.append(element)
      }
      return elements.isEmpty ? nil : .list(layout, elements)
    case .map(let map):
      var entries: [(key: String, value: ImportRow.Element)] = []
      for entry in map.entries {
        entries.append(
          (entry.key, try element(entry.value, layout, step, depth) ?? .value(.null)))
      }
      return entries.isEmpty ? nil : .map(layout, entries)
    default: return nil
    }
  }

  /// Converts an element of a collection; returns nil for a link to a missing object.
  private func element(
    _ value: Value, _ layout: CollectionLayout, _ step: Step, _ depth: Int
  ) throws -> ImportRow.Element? {
    switch step.property.type {
    case .object where layout.isOwning: try ownedRow(value, step, depth).map { .object($0) }
    case .object: try link(value, step).map { .value(.link($0)) }
    case .any: .value(try state.links.mixed(value, for: step.name))
    default: .value(value)
    }
  }
}
