import CadastreFormatting
package import CadastreModel
package import CadastreRealmFile

/// The classes of a Realm file that are imported, and their tables.
package struct RealmClasses {
  /// The classes.
  package let schema: Schema
  /// The tables of the classes by name of the class.
  let tables: [String: RealmFileTable]
  /// The asymmetric classes, which are not imported.
  let asymmetric: [String]

  /// Selects classes of a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - names: The classes, to which their embedded classes are added; nil selects all classes.
  /// - Throws: ``RealmImportError`` if a class links to one that is not selected, or if names are
  ///   invalid; `RealmFileError` if a class does not exist or is damaged.
  package init(_ file: RealmFile, names: [String]? = nil) throws {
    let all = file.tables.filter { $0.className != nil }
    asymmetric =
      names == nil ? all.filter { $0.kind == .asymmetric }.compactMap(\.className) : []
    let selected = try Self.selected(all.filter { $0.kind != .asymmetric }, names, file)
    if names == nil, let damaged = file.damagedTables.first { throw damaged.error }
    let tables = Dictionary(
      selected.map { ($0.className ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    guard tables.count == selected.count else {
      throw RealmImportError("\(printable(file.path)): two classes have the same name")
    }
    self.tables = tables
    schema = Schema(selected.map(Self.objectSchema))
    let errors = SchemaRules.errors(of: schema, isStored: true)
    guard errors.isEmpty else {
      throw RealmImportError("\(printable(file.path)): " + errors.joined(separator: "\n"))
    }
  }

  private static func selected(
    _ all: [RealmFileTable], _ names: [String]?, _ file: RealmFile
  ) throws -> [RealmFileTable] {
    guard let names else { return all }
    let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var selected: [String: RealmFileTable] = [:]
    var pending = names.map { RealmFileTable.tableName(ofClass: $0) }
    while let name = pending.popLast() {
      guard selected[name] == nil else { continue }
      if let damaged = file.damagedTables.first(where: { $0.name == name }) { throw damaged.error }
      guard let table = byName[name] else {
        throw RealmFileError.noClass(RealmFileTable.className(ofTable: name) ?? "", in: file)
      }
      selected[name] = table
      for column in table.columns {
        guard let target = column.target.flatMap({ byName[$0] }) else { continue }
        if target.kind == .embedded { pending.append(target.name) }
      }
    }
    for table in selected.values.sorted(by: { $0.name < $1.name }) {
      for column in table.columns {
        guard let target = column.target, selected[target] == nil else { continue }
        let className = RealmFileTable.className(ofTable: target) ?? target
        throw RealmImportError(
          "property '\(printable(table.className ?? "")).\(printable(column.name))' links to class "
            + "'\(printable(className))', which is not selected; add it to the classes")
      }
    }
    return all.filter { selected[$0.name] != nil }
  }

  private static func objectSchema(_ table: RealmFileTable) -> ObjectSchema {
    ObjectSchema(
      className: table.className ?? "",
      properties: table.columns.enumerated().map { index, column in
        property(column, isPrimaryKey: index == table.primaryKey)
      }, isEmbedded: table.kind == .embedded)
  }

  private static func property(_ column: RealmFileColumn, isPrimaryKey: Bool) -> Property {
    let isOptional =
      switch column.type {
      case .any: false
      case .object: column.collection == nil || column.collection == .map
      default: column.isNullable
      }
    return Property(
      name: column.name, type: column.type, isOptional: isOptional, isPrimaryKey: isPrimaryKey,
      isIndexed: column.isIndexed, isFullTextIndexed: column.isFullTextIndexed,
      collection: column.collection,
      objectClassName: column.target.flatMap { RealmFileTable.className(ofTable: $0) })
  }
}
