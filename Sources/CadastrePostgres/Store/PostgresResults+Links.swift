public import Cadastre
import CadastreModel
import CadastreStore

extension PostgresResults {
  /// Returns results that also load the target of a link, which is nil otherwise.
  ///
  ///     for try await port in ports.loading(\.sister) { print(port.sister?.code ?? "none") }
  ///
  /// One statement reads the targets for a batch of 1,000 results, in the same snapshot of the database. Results
  /// of one batch with the same target share its instance; links of the target are not loaded. A link to a
  /// deleted object is nil.
  ///
  /// - Parameter keyPath: A to-one link of the class or of an embedded object.
  /// - Returns: The results.
  public func loading<Target: Object>(_ keyPath: KeyPath<Element, Target?>) -> PostgresResults {
    loading(Target.self, keyPath)
  }

  /// Returns results that also load the targets of a list or set of links, which is empty otherwise.
  ///
  ///     for try await port in ports.loading(\.partners) { print(port.partners.map(\.code)) }
  ///
  /// Deleted objects are omitted.
  ///
  /// - Parameter keyPath: A list or set of links.
  /// - Returns: The results.
  public func loading<Links: RealmCollection>(
    _ keyPath: KeyPath<Element, Links>
  ) -> PostgresResults where Links.Element: Object {
    loading(Links.Element.self, keyPath)
  }

  /// Returns results that also load a list or set of links of an embedded object, which is empty otherwise.
  ///
  ///     for try await port in ports.loading(\.mooring?.others) { print(port.mooring?.others.count ?? 0) }
  ///
  /// - Parameter keyPath: A list or set of links of an embedded object.
  /// - Returns: The results.
  public func loading<Links: RealmCollection>(
    _ keyPath: KeyPath<Element, Links?>
  ) -> PostgresResults where Links.Element: Object {
    loading(Links.Element.self, keyPath)
  }

  /// Returns results that also load the targets of a map of links, which is empty otherwise.
  ///
  /// The value of a deleted object is nil.
  ///
  /// - Parameter keyPath: A map of links.
  /// - Returns: The results.
  public func loading<Key, Target: Object>(
    _ keyPath: KeyPath<Element, Map<Key, Target?>>
  ) -> PostgresResults {
    loading(Target.self, keyPath)
  }

  private func loading(
    _ type: Object.Type, _ keyPath: PartialKeyPath<Element>
  ) -> PostgresResults {
    var results = self
    results.links.append(LoadedLink(type, DetachedObjects.path(of: keyPath)))
    return results
  }
}

/// A link, or a list, set or map of links, whose targets are loaded with their owners.
struct LoadedLink: Sendable {
  private let type: Object.Type
  private let path: PropertyPath

  init(_ type: Object.Type, _ path: PropertyPath) { (self.type, self.path) = (type, path) }

  /// Reads the targets of the links of rows, and sets the links.
  ///
  /// - Throws: ``PostgresError``, or ``PostgresMappingError`` for a path that is not a link of the class.
  func load(_ rows: [ImportRow], _ objects: [ObjectBase], _ cursor: RowCursor) async throws {
    let layout = cursor.layout
    guard let field = field(in: layout),
      let table = cursor.classes.tables[DetachedObjects.schema(of: type).className]
    else {
      throw PostgresMappingError(
        subject: "property '\(path)' of class '\(layout.schema.className)'",
        reason: "it is no link, list, set or map of links")
    }
    let entries = rows.map { Self.entries($0, field) }
    let keys = Set(entries.joined().compactMap(\.row))
    var targets: [Int64: ObjectBase] = [:]
    for (key, row) in try await cursor.rows(of: table, keys.sorted()) {
      targets[key] = try DetachedObjects.object(type, row, table.layout, from: cursor.pool)
    }
    for (object, entries) in zip(objects, entries) {
      DetachedObjects.load(
        entries.map { ($0.key, $0.row.flatMap { targets[$0] }) }, in: object, at: path)
    }
  }

  /// Returns the layout of the property, also within embedded objects; nil if it is not a link.
  private func field(in layout: TableLayout) -> FieldLayout? {
    var (schema, fields) = (layout.schema, layout.fields)
    for (position, name) in path.names.enumerated() {
      guard let index = schema.index(of: name) else { return nil }
      switch fields[index] {
      case .embedded(let embedded): (schema, fields) = (embedded.schema, embedded.fields)
      case .link, .collection:
        let isLink = schema.properties[index].type == .object
        return isLink && position == path.names.count - 1 ? fields[index] : nil
      case .scalar, .owned, .pointType, .pointCoordinates: return nil
      }
    }
    return nil
  }

  /// Returns the target keys of the links of a row, with the map keys of a map.
  private static func entries(
    _ row: ImportRow, _ field: FieldLayout
  ) -> [(key: String, row: Int64?)] {
    func key(_ value: Value?) -> Int64? {
      if case .link(let key) = value { key.rawValue } else { nil }
    }
    switch field {
    case .link(let column): return [("", key(row.values[column]))]
    case .collection(let collection):
      if let entries = row.entries(of: collection) {
        return entries.map { ($0.key, key($0.value.value)) }
      }
      return (row.elements(of: collection) ?? []).map { ("", key($0.value)) }
    case .scalar, .embedded, .owned, .pointType, .pointCoordinates: return []
    }
  }
}
