import CadastreFormatting
import CadastreGeometry
package import CadastreModel
package import CadastreStore

/// Changes of single objects of a class by GeoJSON Features, in a transaction.
///
/// The properties of a Feature are those of the class, and its geometry is the first geometry of
/// the class, else its first point. Links, and properties with hidden parts, are read only: they
/// keep their values.
package struct FeatureChange {
  private let transaction: WriteTransaction
  private let layout: TableLayout
  /// The class with the visible properties.
  private let root: ObjectSchema
  /// The indexes in the stored class of the properties that can be set.
  private let writable: [Int]
  /// The index of the property that takes the geometry of Features; nil if no such property can be
  /// set.
  private let geometryIndex: Int?

  /// Prepares changes of a class.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - className: The class.
  ///   - schema: The classes and fields that are visible.
  /// - Throws: ``ChangeError`` for an unknown class.
  package init(
    _ transaction: WriteTransaction, className: String, schema: Schema
  ) throws(ChangeError) {
    guard let root = schema[className], let layout = transaction.catalogue.layout(className) else {
      throw ChangeError("there is no class '\(printable(className))'")
    }
    (self.transaction, self.layout, self.root) = (transaction, layout, root)
    let stored = transaction.catalogue.schema
    writable = layout.schema.properties.indices.filter { index in
      let property = layout.schema.properties[index]
      return root[property.name] != nil && Self.isComplete(property, in: schema, stored)
    }
    let visible = root.properties
    let shown =
      visible.first { $0.type == .geometry && $0.collection == nil }
      ?? visible.first(where: schema.isPoint)
    geometryIndex = shown.flatMap { layout.schema.index(of: $0.name) }
  }

  /// Returns whether a Feature can contain the whole value of a property, which is neither a link
  /// nor an embedded object with hidden fields.
  private static func isComplete(
    _ property: Property, in schema: Schema, _ stored: Schema, within outer: Set<String> = []
  ) -> Bool {
    guard property.type == .object || property.type == .linkingObjects else { return true }
    guard property.type == .object, let name = property.objectClassName,
      let target = stored[name], target.isEmbedded, let visible = schema[name]
    else { return false }
    return target.isPointShaped || outer.contains(name)
      || visible.properties.count == target.properties.count
        && target.properties.allSatisfy {
          isComplete($0, in: schema, stored, within: outer.union([name]))
        }
  }

  // MARK: Changes

  /// Inserts an object.
  ///
  /// - Parameter feature: The Feature.
  /// - Returns: The key of the object.
  /// - Throws: ``ChangeError`` for an invalid Feature, `StoreError` `duplicateKey` where another object has the
  ///   primary key.
  package func insert(_ feature: JSONRecord) throws -> ObjectKey {
    let isMissing = { (property: Property) in
      !property.isOptional && property.collection == nil && property.type != .any
        && property.type != .object && property.type != .linkingObjects
    }
    let properties = layout.schema.properties
    if properties.indices.contains(where: { !writable.contains($0) && isMissing(properties[$0]) }) {
      throw ChangeError("objects of class '\(root.className)' cannot be created here")
    }
    let parts = try FeatureParts(feature, isPatch: false)
    let row = try row(feature, parts, of: writable, id: parts.id)
    return try RowWriter(transaction, layout, properties: writable).insert(row)
  }

  /// Replaces the properties of an object except the primary key; properties that the Feature lacks
  /// become null.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - feature: The Feature.
  /// - Throws: ``ChangeError`` for an invalid Feature, `StoreError`.
  package func replace(_ key: ObjectKey, with feature: JSONRecord) throws {
    let parts = try FeatureParts(feature, isPatch: false)
    try validateKey(of: key, feature, parts)
    let indexes = writable.filter { !layout.schema.properties[$0].isPrimaryKey }
    try RowWriter(transaction, layout, properties: indexes)
      .update(key, row(feature, parts, of: indexes))
  }

  /// Sets the properties that a Feature contains; null removes a value.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - feature: The Feature, whose members are optional.
  /// - Throws: ``ChangeError`` for an invalid Feature, `StoreError`.
  package func merge(_ key: ObjectKey, with feature: JSONRecord) throws {
    let parts = try FeatureParts(feature, isPatch: true)
    try validateKey(of: key, feature, parts)
    var named: Set<String> = []
    for member in parts.members { named.insert(feature.text(member.name)) }
    let indexes = writable.filter { index in
      let property = layout.schema.properties[index]
      if index == geometryIndex { return parts.hasGeometry }
      return named.contains(property.name) && !property.isPrimaryKey
    }
    let row = try row(feature, parts, of: indexes)
    guard !indexes.isEmpty else { return }
    try RowWriter(transaction, layout, properties: indexes).update(key, row)
  }

  // MARK: Conversion

  /// Converts a Feature to a row with some properties.
  ///
  /// - Parameters:
  ///   - feature: The Feature.
  ///   - parts: The parts of the Feature.
  ///   - indexes: The properties.
  ///   - id: The node of the id, where it is the primary key of a new object.
  /// - Returns: The row.
  /// - Throws: ``ChangeError`` for a value of another type, an unknown property, or a missing value.
  private func row(
    _ feature: JSONRecord, _ parts: FeatureParts, of indexes: [Int], id: Int? = nil
  ) throws(ChangeError) -> ImportRow {
    let properties = layout.schema.properties
    let fields = indexes.filter { $0 != geometryIndex }
    let members = JSONMembers(
      fields.map { (properties[$0].name, $0) }, layout.schema, layout.fields,
      transaction.catalogue)
    var row = ImportRow(columns: layout.columns.count)
    for case .collection(let collection) in layout.fields {
      row.values[collection.countColumn] = .int(0)
    }
    do throws(Rejection) {
      var presence = members.begin(&row)
      for (node, value) in parts.members {
        let name = feature.text(node)
        guard let index = layout.schema.index(of: name), root[name] != nil, index != geometryIndex
        else {
          throw Rejection(
            field: name,
            reason: "'\(printable(name))' is no property of class '\(root.className)'; expected "
              + expectedNames)
        }
        if properties[index].isPrimaryKey, !indexes.contains(index) { continue }
        guard let slot = fields.firstIndex(of: index) else {
          throw Rejection(field: name, reason: "'\(printable(name))' is read only")
        }
        try members.set(slot, feature, value, &row, &presence)
      }
      if let id, let key = layout.schema.primaryKeyProperty,
        let index = layout.schema.index(of: key.name), let slot = fields.firstIndex(of: index),
        !presence[slot]
      {
        try members.set(slot, feature, id, &row, &presence)
      }
      try members.end(presence, &row)
      try setGeometry(feature, parts, indexes, &row)
    } catch {
      throw ChangeError(error.reason)
    }
    return row
  }

  /// The names of the properties that can be set, for messages.
  private var expectedNames: String {
    writable.filter { $0 != geometryIndex }.map { "'\(layout.schema.properties[$0].name)'" }
      .joined(separator: ", ")
  }

  private func setGeometry(
    _ feature: JSONRecord, _ parts: FeatureParts, _ indexes: [Int], _ row: inout ImportRow
  ) throws(Rejection) {
    guard let geometryIndex, indexes.contains(geometryIndex) else {
      guard parts.geometry != nil else { return }
      throw Rejection(
        field: "geometry",
        reason: "'geometry': expected null, because class '\(root.className)' has no geometry "
          + "that can be set")
    }
    let property = layout.schema.properties[geometryIndex]
    guard let node = parts.geometry else {
      guard property.isOptional else {
        throw Rejection(field: "geometry", reason: "'geometry' is missing, and is required")
      }
      return
    }
    switch layout.fields[geometryIndex] {
    case .embedded(let embedded):
      guard let point = try JSONPoint.coordinates(feature, node, "geometry") else { return }
      embedded.write(
        longitude: point.longitude, latitude: point.latitude, altitude: point.altitude, to: &row)
    case .scalar(let column):
      let shape = try JSONGeometry.geometry(feature, node)
      if let reason = shape.invalidityReason(edges: .spherical) {
        throw Rejection(field: "geometry", reason: "'geometry' is invalid: \(reason)")
      }
      row.values[column] = .geometry(shape)
    default:
      throw Rejection(field: "geometry", reason: "'geometry' is read only")
    }
  }

  /// Throws an error if the id of a Feature differs from the primary key of the object.
  private func validateKey(
    of key: ObjectKey, _ feature: JSONRecord, _ parts: FeatureParts
  ) throws {
    guard let property = layout.schema.primaryKeyProperty, root[property.name] != nil,
      let column = layout.column(of: property)
    else { return }
    let stored = try transaction.row(layout, key)?[column]
    let member = parts.members.first { feature.text($0.name) == property.name }?.value
    for node in [parts.id, member].compactMap(\.self)
    where JSONConversion.value(feature, node, property.type) != stored {
      throw ChangeError(
        "'\(property.name)' is the id and cannot change; found "
          + JSONMembers.quoted(feature, node))
    }
  }
}

/// The parts of a GeoJSON Feature in the body of a request.
private struct FeatureParts {
  /// The node of the properties; nil for none.
  let properties: Int?
  /// The node of the geometry; nil for none or null.
  let geometry: Int?
  /// Whether the Feature has a geometry, which may be null.
  let hasGeometry: Bool
  /// The node of the id; nil for none.
  let id: Int?
  /// The nodes of the names and values of the properties.
  let members: [(name: Int, value: Int)]

  /// The members of a Feature; `links` and `bbox` are ignored.
  private static let names = ["type", "id", "geometry", "properties", "bbox", "links"]

  init(_ record: JSONRecord, isPatch: Bool) throws(ChangeError) {
    let root = JSONRecord.root
    for (name, _) in record.members(of: root) where !Self.names.contains(record.text(name)) {
      throw ChangeError(
        "'\(printable(record.text(name)))' is no member of a Feature; expected "
          + Self.names.map { "'\($0)'" }.joined(separator: ", "))
    }
    let type = record.member("type", of: root)
    let isFeature =
      type.map { record[$0].kind == .string && record.text($0) == "Feature" } ?? isPatch
    guard isFeature else {
      throw ChangeError(
        "'type': expected 'Feature', found "
          + (type.map { JSONMembers.quoted(record, $0) } ?? "none"))
    }
    func object(_ name: String) throws(ChangeError) -> Int? {
      guard let node = record.member(name, of: root), record[node].kind != .null else { return nil }
      guard record[node].kind == .object else {
        throw ChangeError(
          "'\(name)': expected an object, found \(JSONMembers.quoted(record, node))")
      }
      return node
    }
    properties = try object("properties")
    geometry = try object("geometry")
    hasGeometry = record.member("geometry", of: root) != nil
    id = record.member("id", of: root).flatMap { record[$0].kind == .null ? nil : $0 }
    members = properties.map { Array(record.members(of: $0)) } ?? []
  }
}
