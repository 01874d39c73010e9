import CadastreFormatting
package import CadastreGeometry
import CadastreModel
package import CadastrePredicate
import CadastreQuery
import CadastreStore

/// A change of all objects of a class that match a predicate.
///
///     let change = MatchChange(store: "a.cadastre", className: "Airport", predicate: "elevation < 0")
///     try change.set(["elevation=0"], isDryRun: false)
///
/// The query and the change run in one transaction.
package struct MatchChange {
  let store: String
  let className: String
  private let predicate: String?
  private let arguments: [PredicateArgument]
  private let edges: EdgeModel
  private let regions: [RegionCondition]

  /// Creates a change of the objects that match a predicate.
  ///
  /// - Parameters:
  ///   - store: The path of the store.
  ///   - className: The class.
  ///   - predicate: The predicate; nil for all objects.
  ///   - arguments: The values of `$0`, `$1` … in the predicate.
  ///   - edges: The model of the edges of boxes and polygons.
  ///   - regions: Regions in which the first point of an object must be.
  package init(
    store: String, className: String, predicate: String?, arguments: [PredicateArgument] = [],
    edges: EdgeModel = .spherical, regions: [RegionCondition] = []
  ) {
    self.store = store
    self.className = className
    self.predicate = predicate
    self.arguments = arguments
    self.edges = edges
    self.regions = regions
  }

  /// Deletes the objects and the embedded objects that they own; links to them become null.
  ///
  /// - Parameter isDryRun: Whether only to count.
  /// - Returns: The number of objects.
  /// - Throws: ``QueryPredicateError`` or `StoreError`; nothing is changed then.
  package func delete(isDryRun: Bool) throws -> Int {
    try StoreTransaction.run(on: store, isDryRun: isDryRun) { _, transaction in
      let keys = try keys(transaction)
      if !isDryRun, !keys.isEmpty { try transaction.delete(className, keys) }
      return keys.count
    }
  }

  /// Sets fields of the objects.
  ///
  /// A field of an embedded object is set where that object exists.
  ///
  /// - Parameters:
  ///   - assignments: The values, "FIELD=VALUE", see ``FieldAssignment``.
  ///   - fields: New optional fields, "FIELD TYPE" or "FIELD TYPE=VALUE".
  ///   - isDryRun: Whether only to validate and count.
  /// - Returns: The number of objects.
  /// - Throws: ``ChangeError`` for an invalid assignment or field, ``QueryPredicateError`` or `StoreError`;
  ///   nothing is changed then.
  package func set(
    _ assignments: [String], adding fields: [String] = [], isDryRun: Bool
  ) throws -> Int {
    try StoreTransaction.run(on: store, isDryRun: isDryRun) { file, transaction in
      let new = try fields.map(NewField.init)
      if !new.isEmpty { try add(new.map(\.property), transaction, from: file.snapshot()) }
      let layout = try table(transaction).layout
      let assignments = try FieldAssignment.list(
        assignments + new.compactMap(\.assignment), layout, transaction.catalogue.schema)
      let keys = try keys(transaction)
      if keys.count > 1, let key = assignments.first(where: \.isPrimaryKey) {
        throw ChangeError(
          "'\(key.path)' is the primary key, and \(keys.count) objects match; expected one object")
      }
      guard !isDryRun else { return keys.count }
      let groups = try Dictionary(grouping: assignments, by: \.owner).map { owner, group in
        (keys: try owner.map { try self.keys(keys, with: $0, transaction) } ?? keys, fields: group)
      }
      // All calculations read the values before the change.
      let calculated = try groups.flatMap { group in
        try Self.calculate(
          group.fields.filter { $0.calculation != nil }, group.keys, layout, transaction)
      }
      for group in groups where !group.keys.isEmpty {
        let given = group.fields.filter { $0.calculation == nil }
        if !given.isEmpty {
          try transaction.update(className, group.keys, given.flatMap(\.changes))
        }
      }
      for (key, changes) in calculated { try transaction.update(className, [key], changes) }
      return keys.count
    }
  }

  /// Adds properties to the class.
  private func add(
    _ properties: [Property], _ transaction: WriteTransaction, from old: Snapshot
  ) throws {
    let root = try table(transaction).root
    for property in properties
    where root.properties.contains(where: {
      $0.name == property.name || $0.columnName == property.name
    }) {
      throw ChangeError(
        "'\(className)' has a field '\(printable(property.name))' already; FIELD=VALUE sets it")
    }
    let changed = root.with(
      properties: root.properties + properties, compoundIndexes: root.compoundIndexes)
    let errors = SchemaRules.errors(
      of: transaction.catalogue.schema.replacing([changed]), isStored: true)
    guard errors.isEmpty else { throw ChangeError(printable(errors.joined(separator: " "))) }
    let migration = try StoreMigration(
      transaction, from: old, to: Schema([changed]), version: transaction.versions.schema)
    try migration.finish()
  }

  /// Returns the values of calculations for objects, from the values before the change.
  private static func calculate(
    _ assignments: [FieldAssignment], _ keys: [Int64], _ layout: TableLayout,
    _ transaction: WriteTransaction
  ) throws -> [(key: Int64, changes: [(column: Int, value: Value)])] {
    guard !assignments.isEmpty else { return [] }
    let reader = try transaction.flush(.indexes)
    var all: [(key: Int64, changes: [(column: Int, value: Value)])] = []
    for key in keys {
      guard let row = try reader.row(layout, ObjectKey(key)) else { continue }
      let record = try StoredRecord(row, layout, ObjectKey(key), reader)
      var changes: [(column: Int, value: Value)] = []
      for assignment in assignments {
        guard let calculation = assignment.calculation else { continue }
        let value = try FieldAssignment.value(of: calculation) { record.value(at: $0) }
        changes += assignment.changes.map { ($0.column, value) }
      }
      all.append((key, changes))
    }
    return all
  }

  /// Returns the keys of the matching objects, ascending.
  func keys(_ transaction: WriteTransaction) throws -> [Int64] {
    let query = try ObjectQuery(className).bound(
      to: transaction.catalogue.schema, predicate: predicate, arguments: arguments, edges: edges,
      regions: regions)
    return try QuerySession(transaction.flush(.indexes)).keys(query).keys.sorted()
  }

  /// Returns the keys of the objects in which an embedded object exists.
  private func keys(
    _ keys: [Int64], with embedded: PropertyPath, _ transaction: WriteTransaction
  ) throws -> [Int64] {
    var query = ObjectQuery(className)
    query.predicate = .comparison(Comparison(.property(embedded), .notEqual, .value(.null)))
    return try QuerySession(transaction.flush(.indexes)).executor.matching(
      keys, of: className, query.bound(to: transaction.catalogue.schema).predicate)
  }
}

/// A new optional field: "FIELD TYPE" or "FIELD TYPE=VALUE".
private struct NewField {
  let property: Property
  /// The assignment of the value; nil for null.
  let assignment: String?

  init(_ text: String) throws(ChangeError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let declaration = parts[0].trimmingBlanks()
    // A name may contain blanks, a type does not.
    let words = declaration.split(separator: " ")
    let typeName = words.count > 1 ? words[words.count - 1] : ""
    let name = declaration.dropLast(typeName.count).trimmingBlanks()
    guard !name.isEmpty, !typeName.isEmpty else {
      throw ChangeError(
        "expected FIELD TYPE=VALUE such as 'density double = population / area', found '\(printable(text))'"
      )
    }
    guard let type = PropertyType(name: typeName.lowercased()), ColumnTypes.allowed.contains(type)
    else {
      throw ChangeError(
        "'\(printable(text))': '\(printable(typeName))' is no type; expected one of "
          + ColumnTypes.allowed.map(\.description).joined(separator: ", "))
    }
    property = Property(name: String(name), type: type, isOptional: type != .any)
    assignment = parts.count == 2 ? "\(name)=\(parts[1].trimmingBlanks())" : nil
  }
}

/// A change of an existing store in one transaction.
enum StoreTransaction {
  /// Runs a change and commits it.
  ///
  /// - Parameters:
  ///   - path: The path of the store, which must exist.
  ///   - isDryRun: Whether to roll the change back at the end.
  ///   - renames: The names that the change gives, if it does nothing else.
  ///   - body: The change.
  /// - Returns: The result of the change.
  /// - Throws: The error of the change, after it is rolled back, or `StoreError`.
  static func run<Result>(
    on path: String, isDryRun: Bool = false, renames: [SchemaRename] = [],
    _ body: (StoreFile, WriteTransaction) throws -> Result
  ) throws -> Result {
    let file = try OpenStores.store(at: path, mustExist: true)
    let transaction = try file.beginWrite()
    do {
      let result = try body(file, transaction)
      if isDryRun {
        transaction.rollback()
      } else {
        try transaction.commitRecorded(in: file, renames: renames)
      }
      return result
    } catch {
      transaction.rollback()
      throw error
    }
  }
}

/// The reason why a change of a store is not possible.
package struct ChangeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The message.
  package let description: String

  init(_ description: String) { self.description = description }
}
