import CadastreModel
import CadastreStore

/// A class managed by a Realm: the Swift class and its table.
///
/// Each object of the class has one, and retains the Realm's core with it.
// Two references, because following a link makes one: an object of its own costs as much as the rest of that.
struct ManagedTable {
  let core: RealmCore
  private let managed: ManagedClass

  init(_ core: RealmCore, _ managed: ManagedClass) {
    self.core = core
    self.managed = managed
  }

  var info: ClassInfo { managed.info }
  var layout: TableLayout { managed.layout }
  var emptyRow: [Value] { managed.emptyRow }
  var rows: RowReadAhead { managed.rows }
  var columns: ColumnReadAhead { managed.columns }
  /// The name of the class.
  var className: String { managed.className }

  /// Whether a property leads to an object with a row of its own.
  func isLink(_ property: Int) -> Bool { managed.areLinks[property] }

  /// The table of the class that a property leads to; nil where it leads to none.
  func target(of property: Int) -> ManagedTable? {
    let target = managed.target(of: property) { core.managedClass(named: $0) }
    return target.map { ManagedTable(core, $0) }
  }

  /// Whether both are of the same class in the same Realm.
  func isSame(as other: ManagedTable) -> Bool { managed === other.managed }

  /// A column of a row, where it is in memory; nil where the row must be read, and where it was
  /// revoked.
  func valueInMemory(_ column: Int, of key: ObjectKey, since birth: UInt64) -> Value? {
    core.isRevoked(self, key, since: birth) ? nil : columns.value(key, column, core)
  }

  /// The column of a property of an object with a row of its own; nil where it is in no single one.
  func column(of property: Int) -> Int? {
    let column = managed.columnsOfProperties[property]
    return column < 0 ? nil : column
  }

  /// The column of a property that is a value or a link in one column, and not the primary key; nil for other
  /// properties.
  func plainColumn(_ name: String) -> Int? {
    guard let property = info.schema.index(of: name), !info.schema.properties[property].isPrimaryKey
    else { return nil }
    switch layout.fields[property] {
    case .scalar(let column), .link(let column): return column
    case .embedded, .owned, .collection, .pointType, .pointCoordinates: return nil
    }
  }
}

/// The Swift class and the table of a class, without a reference to the core.
final class ManagedClass {
  let info: ClassInfo
  let layout: TableLayout
  let className: String
  /// A row without values.
  let emptyRow: [Value]
  let rows: RowReadAhead
  let columns: ColumnReadAhead
  /// The column of each property; -1 for a property that is not in a single column.
  let columnsOfProperties: [Int]
  /// Whether each property leads to an object with a row of its own.
  let areLinks: [Bool]
  /// The classes that the properties lead to, once they were asked for; `forgetTargets` ends the cycles of
  /// references among them.
  @exclusivity(unchecked) private var targets: [ManagedClass?]

  init(info: ClassInfo, layout: TableLayout) {
    self.info = info
    self.layout = layout
    className = info.schema.className
    emptyRow = Array(repeating: .null, count: layout.columns.count)
    rows = RowReadAhead(layout)
    columnsOfProperties = layout.fields.map { field in
      switch field {
      case .scalar(let column), .link(let column), .owned(let column): column
      case .embedded(let embedded): embedded.presence
      case .collection, .pointType, .pointCoordinates: -1
      }
    }
    columns = ColumnReadAhead(layout, columnsOfProperties)
    areLinks = layout.fields.map { field in
      switch field {
      case .link, .owned: true
      case .scalar, .embedded, .collection, .pointType, .pointCoordinates: false
      }
    }
    targets = Array(repeating: nil, count: info.schema.properties.count)
  }

  /// Returns the class that a property leads to.
  ///
  /// - Parameters:
  ///   - property: The index of the property.
  ///   - find: Finds a class by its name; called once for each property.
  /// - Returns: The class; nil where the property leads to none.
  func target(of property: Int, _ find: (String) -> ManagedClass?) -> ManagedClass? {
    if let known = targets[property] { return known }
    let found = info.schema.properties[property].objectClassName.flatMap(find)
    targets[property] = found
    return found
  }

  /// Releases the classes that the properties lead to.
  func forgetTargets() {
    for property in targets.indices { targets[property] = nil }
  }
}
