public import Cadastre
import CadastreModel
import CadastreStore

extension PostgresResults {
  /// Returns the results with the objects behind a link, which are nil otherwise.
  ///
  ///     for try await port in ports.loading(\.sister) { print(port.sister?.code ?? "none") }
  ///
  /// The linked objects of a thousand results are read by one statement, in the same snapshot of the
  /// database. Objects of one batch with the same link share its object, whose own links are nil.
  ///
  /// - Parameter keyPath: A link to one object.
  /// - Returns: The results.
  public func loading<Target: Object>(_ keyPath: KeyPath<Element, Target?>) -> PostgresResults {
    var results = self
    results.links.append(LoadedLink(Target.self, DetachedObjects.path(of: keyPath)))
    return results
  }
}

/// A link whose objects are read with those that have it.
struct LoadedLink: Sendable {
  private let type: Object.Type
  private let path: PropertyPath

  init(_ type: Object.Type, _ path: PropertyPath) { (self.type, self.path) = (type, path) }

  /// Reads the objects behind the links of rows, and sets them.
  ///
  /// - Throws: ``PostgresError``, or ``PostgresMappingError`` for a path that is no link of the class.
  func load(_ rows: [ImportRow], _ objects: [ObjectBase], _ cursor: RowCursor) async throws {
    let layout = cursor.layout
    guard path.names.count == 1, let index = layout.schema.index(of: path.names[0]),
      case .link(let column) = layout.fields[index],
      let table = cursor.classes.tables[DetachedObjects.schema(of: type).className]
    else {
      throw PostgresMappingError(
        subject: "property '\(path)' of class '\(layout.schema.className)'",
        reason: "it is no link to one object")
    }
    let keys = rows.map { row in
      if case .link(let key) = row.values[column] { key.rawValue } else { nil as Int64? }
    }
    let found = try await cursor.rows(of: table, Set(keys.compactMap { $0 }).sorted())
    var targets: [Int64: ObjectBase] = [:]
    for (key, row) in found {
      targets[key] = try DetachedObjects.object(type, row, table.layout)
    }
    for (object, key) in zip(objects, keys) {
      guard let key, let target = targets[key] else { continue }
      object[path.names[0]] = target
    }
  }
}
