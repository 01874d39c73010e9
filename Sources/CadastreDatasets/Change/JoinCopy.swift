import CadastreFormatting
import CadastreModel
import CadastreQuery
import CadastreStore

extension MatchChange {
  /// The result of a join into a new class.
  package struct JoinReport: Sendable {
    /// The number of new objects.
    package var objects = 0
    /// The number of objects without a partner.
    package var unmatched = 0
    /// The fields of the partners that are not single values, which the new class does not have.
    package var leftOut: [String] = []
    /// The greatest number of partners of an object.
    package var mostPartners = 0
  }

  /// Stores the pairs of the objects and their partners with equal values as the objects of a new class.
  ///
  /// A new object has the fields of the object and the fields with single values of its partner, without the field
  /// that is compared. A field of the partner whose name is taken begins with the name of its class. The primary key
  /// stays one if no object has several partners.
  ///
  /// - Parameters:
  ///   - name: The new class.
  ///   - other: The class of the partners.
  ///   - otherPredicate: The predicate that selects partners; nil for all.
  ///   - condition: The equality of two fields, `code == fips`.
  ///   - keepsUnmatched: Whether objects without a partner are stored, with null in the fields of the partner.
  ///   - isDryRun: Whether only to count.
  /// - Returns: The numbers of objects.
  /// - Throws: ``ChangeError``, ``QueryPredicateError`` or `StoreError`; nothing is changed then.
  /// - Complexity: O(n log n) in the number of pairs.
  package func join(
    into name: String, with other: String, _ otherPredicate: String?, on condition: String,
    keepsUnmatched: Bool, isDryRun: Bool
  ) throws -> JoinReport {
    try StoreTransaction.run(on: store, isDryRun: isDryRun) { _, transaction in
      let (root, layout) = try table(transaction)
      let rightName = AttributeJoin.rightName(root, other)
      guard let join = try AttributeJoin(condition, rightName: rightName) else {
        throw ChangeError("--into needs the equality of two fields, such as code == fips")
      }
      let partners = MatchChange(store: store, className: other, predicate: otherPredicate)
      let (otherRoot, otherLayout) = try partners.table(transaction)
      let leftColumn = try Self.valueColumn(join.left, root, layout)
      let rightColumn = try Self.valueColumn(join.right, otherRoot, otherLayout)
      try join.check(layout.columns[leftColumn].type, otherLayout.columns[rightColumn].type)
      let keys = try keys(transaction)
      let partnerKeys = try partners.keys(transaction)
      let reader = try transaction.flush(.elements)
      // No object is its own partner.
      let isSelfJoin = root.className == otherRoot.className
      var rows: [ValueKey: [(key: Int64, row: [Value])]] = [:]
      for key in partnerKeys {
        guard let row = try reader.row(otherLayout, ObjectKey(key)),
          let value = AttributeJoin.key(row[rightColumn])
        else { continue }
        rows[value, default: []].append((key, row))
      }
      func found(_ key: Int64) throws -> [[Value]] {
        guard let row = try reader.row(layout, ObjectKey(key)),
          let value = AttributeJoin.key(row[leftColumn])
        else { return [] }
        return (rows[value] ?? []).filter { !isSelfJoin || $0.key != key }.map(\.row)
      }
      var report = JoinReport()
      for key in keys { report.mostPartners = max(report.mostPartners, try found(key).count) }
      let added = Self.partnerFields(
        root, (rightName, otherRoot, otherLayout), without: rightColumn)
      report.leftOut = zip(otherRoot.properties, otherLayout.fields).compactMap {
        if case .scalar = $1 { nil } else { $0.name }
      }
      let partnerDays = try reader.dayColumns(otherLayout)
      let days = added.filter { partnerDays.contains(otherLayout.columns[$0.column].name) }
      let target = try transaction.adoptNew(
        Self.pairClass(name, root, added.map(\.property), keepsKey: report.mostPartners <= 1),
        days: try reader.dayColumns(layout).union(days.map(\.property.name)))
      let copies = RowCopy(from: reader, to: transaction.catalogue, keepsLinks: true)
      let writer = RowWriter(
        transaction, target, properties: Array(target.schema.properties.indices))
      for key in keys {
        let partners = try found(key)
        if partners.isEmpty { report.unmatched += 1 }
        for partner in partners.isEmpty && keepsUnmatched ? [nil] : partners.map(Optional.some) {
          var row = try copies.row(ObjectKey(key), layout, as: target)
          for (property, column) in added {
            guard let index = target.schema.index(of: property.name),
              case .scalar(let own) = target.fields[index]
            else { continue }
            row.values[own] = partner?[column] ?? .null
          }
          try writer.insert(row)
          report.objects += 1
        }
      }
      return report
    }
  }

  private static func valueColumn(
    _ path: PropertyPath, _ root: ObjectSchema, _ layout: TableLayout
  ) throws(ChangeError) -> Int {
    guard path.names.count == 1, let index = root.index(of: path.names[0]),
      case .scalar(let column) = layout.fields[index], root.properties[index].type != .geometry
    else {
      throw ChangeError("'\(path)' is no field of '\(root.className)' with a single value")
    }
    return column
  }

  /// Returns the fields with single values of the partners under free names, and their columns.
  private static func partnerFields(
    _ root: ObjectSchema, _ other: (name: String, schema: ObjectSchema, layout: TableLayout),
    without compared: Int
  ) -> [(property: Property, column: Int)] {
    var names = DistinctNames("_", used: Set(root.properties.flatMap { [$0.name, $0.columnName] }))
    return zip(other.schema.properties, other.layout.fields).compactMap { property, field in
      guard case .scalar(let column) = field, column != compared else { return nil }
      let isTaken = root[property.name] != nil
      let name = names.add(isTaken ? "\(other.name)_\(property.name)" : property.name)
      return (Property(name: name, type: property.type, isOptional: property.type != .any), column)
    }
  }

  private static func pairClass(
    _ name: String, _ root: ObjectSchema, _ added: [Property], keepsKey: Bool
  ) -> ObjectSchema {
    let own = keepsKey ? root.properties : root.properties.map { $0.with(isPrimaryKey: false) }
    return root.with(
      className: name, properties: own + added, compoundIndexes: root.compoundIndexes)
  }
}
