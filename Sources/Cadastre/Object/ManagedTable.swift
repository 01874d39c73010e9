import CadastreModel
import CadastreQuery
import CadastreStore

/// A class managed by a Realm: the Swift class and its table.
///
/// Each object of the class has one, and retains the Realm's core with it.
// Made when a link is followed: an object of its own would cost as much as the rest of that.
struct ManagedTable {
  let core: RealmCore
  // Not retained: the tables of the core retain all classes that they have made.
  private let managed: Unmanaged<ManagedClass>

  init(_ core: RealmCore, _ managed: ManagedClass) {
    self.init(core, Unmanaged.passUnretained(managed))
  }

  private init(_ core: RealmCore, _ managed: Unmanaged<ManagedClass>) {
    self.core = core
    self.managed = managed
  }

  var info: ClassInfo { managed._withUnsafeGuaranteedRef { $0.info } }
  var layout: TableLayout { managed._withUnsafeGuaranteedRef { $0.layout } }
  /// A row without values.
  var emptyRow: [Value] { values.emptyRow }
  /// A row without values that shares no memory with others, for an object that is written.
  var newRow: [Value] { Array(repeating: .null, count: emptyRow.count) }
  /// The stored values.
  var values: ValueSource { managed._withUnsafeGuaranteedRef { $0.values } }
  /// The invalidated instances.
  private var revocations: ClassRevocations { managed._withUnsafeGuaranteedRef { $0.revocations } }
  /// The name of the class.
  var className: String { managed._withUnsafeGuaranteedRef { $0.className } }

  /// Whether a property leads to an object with a row of its own.
  func isLink(_ property: Int) -> Bool {
    managed._withUnsafeGuaranteedRef { $0.areLinks[property] }
  }

  /// The table of the class that a property leads to; nil where it leads to none.
  func target(of property: Int) -> ManagedTable? {
    let target = managed._withUnsafeGuaranteedRef {
      $0.target(of: property) { core.managedClass(named: $0) }
    }
    return target.map { ManagedTable(core, $0) }
  }

  /// The numbers that a loop reads, by property; nil if several threads read the objects.
  var windows: UnsafePointer<NumberWindow>? {
    core.isFrozen ? nil : managed._withUnsafeGuaranteedRef { $0.windows }
  }

  /// Returns whether an instance of a row was revoked, because its Realm was invalidated, or a transaction
  /// that inserted or deleted the row, or refused to insert it, was rolled back.
  func isRevoked(_ key: ObjectKey, since birth: UInt64) -> Bool {
    // The first comparisons are nearly always false.
    birth < core.readState.pointee.newestRevocation && revocations.contains(key, since: birth)
      || key.rawValue < 0 && key.rawValue >= core.lastRefusedKey && !core.hasFailed
  }

  /// Returns whether an instance of an embedded object was revoked, because a transaction that removed the
  /// object from the row was rolled back.
  func isRevoked(_ key: ObjectKey, member column: Int, since birth: UInt64) -> Bool {
    birth < core.readState.pointee.newestRevocation
      && revocations.contains(key, member: column, since: birth)
  }

  /// Returns whether a rolled-back transaction inserted the row; a row that has its key now is another object.
  func isRolledBack(_ key: ObjectKey, since birth: UInt64) -> Bool {
    revocations.containsInsertion(key, since: birth)
  }

  /// Returns whether a row that was found in a generation still exists.
  func containsStill(_ key: ObjectKey, since found: UInt64) -> Bool {
    found >= core.generation.recordStart && values.changes.containsStill(key.rawValue, since: found)
  }

  /// Whether both are of the same class in the same Realm.
  func isSame(as other: ManagedTable) -> Bool { managed.toOpaque() == other.managed.toOpaque() }

  /// Returns the value of a column of a row; a deleted row stops the process.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - key: The key of the row.
  ///   - birth: The generation in which the row was found.
  /// - Returns: The value; null if the row cannot be read.
  func value(_ column: Int, of key: ObjectKey, since birth: UInt64) -> Value {
    core.checkThread()
    if core.sharing == nil { return unsharedValue(column, of: key, since: birth) }
    return core.exclusively { unsharedValue(column, of: key, since: birth) }
  }

  private func unsharedValue(_ column: Int, of key: ObjectKey, since birth: UInt64) -> Value {
    if !isRevoked(key, since: birth),
      let value = values.valueInMemory(key, column, core)
    {
      assert(isStored(value, column, of: key), "the cached value of '\(className)' \(key)")
      return value
    }
    return ManagedRow(self, key, birth: birth).readableValue(column) ?? .null
  }

  /// Returns whether a cached row is the stored one; see `CacheVerification`.
  func isStored(_ row: [Value], of key: ObjectKey) -> Bool {
    CacheVerification.isStored(
      row, { core.hasReadError ? nil : try core.rowReader().row(layout, key) ?? [] },
      { $0.map(ValueKey.init) == $1.map(ValueKey.init) })
  }

  /// Returns whether a cached value is that of the row; see `CacheVerification`.
  func isStored(_ value: Value, _ column: Int, of key: ObjectKey) -> Bool {
    CacheVerification.isStored(
      value, { core.hasReadError ? nil : try core.rowReader().row(layout, key)?[column] ?? .null },
      { ValueKey($0) == ValueKey($1) })
  }

  /// The column of a property of an object with a row of its own; nil where it is in no single one.
  func column(of property: Int) -> Int? {
    let column = managed._withUnsafeGuaranteedRef { $0.columnsOfProperties[property] }
    return column < 0 ? nil : column
  }

  /// The column of a property that is a value or a link in one column, and not the primary key; nil for other
  /// properties.
  func plainColumn(_ name: String) -> Int? {
    info.schema.index(of: name).flatMap(plainColumn)
  }

  /// The column of a property that is a value or a link in one column, and not the primary key; nil for other
  /// properties.
  func plainColumn(_ property: Int) -> Int? {
    let column = managed._withUnsafeGuaranteedRef { $0.plainColumns[property] }
    return column < 0 ? nil : column
  }
}

/// The Swift class and the table of a class, without a reference to the core.
final class ManagedClass {
  let info: ClassInfo
  let layout: TableLayout
  let className: String
  let values: ValueSource
  /// The invalidated instances.
  let revocations: ClassRevocations
  /// The column of each property; -1 for a property that is not in a single column.
  let columnsOfProperties: [Int]
  /// The column of each property that is a value or a link in one column, and not the primary key; -1 for other
  /// properties.
  let plainColumns: [Int]
  /// Whether each property leads to an object with a row of its own.
  let areLinks: [Bool]
  /// The memory of `ValueSource.windows`.
  let windows: UnsafePointer<NumberWindow>
  /// The classes that the properties lead to, once they were asked for; retained by the tables of the core.
  @exclusivity(unchecked) private var targets: [Unmanaged<ManagedClass>?]

  init(
    info: ClassInfo, layout: TableLayout, _ changes: ClassGeneration,
    _ revocations: ClassRevocations
  ) {
    self.revocations = revocations
    self.info = info
    self.layout = layout
    className = info.schema.className
    columnsOfProperties = layout.fields.map { field in
      switch field {
      case .scalar(let column), .link(let column), .owned(let column): column
      case .embedded(let embedded): embedded.presence
      case .collection, .pointType, .pointCoordinates: -1
      }
    }
    plainColumns = zip(layout.fields, info.schema.properties).map { field, property in
      switch field {
      case .scalar(let column), .link(let column): property.isPrimaryKey ? -1 : column
      case .embedded, .owned, .collection, .pointType, .pointCoordinates: -1
      }
    }
    values = ValueSource(layout, columnsOfProperties, changes)
    windows = values.windows
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
  func target(
    of property: Int, _ find: (String) -> ManagedClass?
  ) -> Unmanaged<ManagedClass>? {
    if let known = targets[property] { return known }
    let found = info.schema.properties[property].objectClassName.flatMap(find)
      .map(Unmanaged.passUnretained)
    targets[property] = found
    return found
  }
}
