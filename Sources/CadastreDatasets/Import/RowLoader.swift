import CadastreFormatting
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore

/// The second pass of an import: it filters rows and writes them in a transaction.
struct RowLoader {
  private let settings: ImportSettings
  private let layout: TableLayout
  private let writer: RowWriter
  /// The row that the filter tests.
  private let rows: RowList
  private let filter: RowFilter?
  private let geometryColumns: GeometryColumns?
  /// The required properties with their columns.
  private let required: [(property: Property, column: Int)]
  /// Whether a required property has no field in the files.
  private let lacksRequired: Bool
  /// The column that decides whether a stored object is compared with its row.
  private let version: Int?
  private var matched = 0
  /// The pending rows, which are inserted together, and their positions in the file.
  private var pending: (rows: [[Value]], positions: [RecordPosition]) = ([], [])
  /// The keys of the imported objects, for the deletion of all others.
  private var imported: Set<Int64> = []
  private(set) var report = ImportReport()

  init(
    _ settings: ImportSettings, _ target: RowTarget, properties: [Int],
    _ transaction: WriteTransaction
  ) throws {
    let schema = transaction.catalogue.schema
    self.settings = settings
    layout = target.layout
    writer = RowWriter(
      transaction, layout, properties: properties, flatPoint: target.flatPoint)
    let rows = RowList(transaction.catalogue)
    filter = try settings.predicate.map {
      try RowFilter(
        $0.bound(to: schema, root: target.layout.schema), on: target.layout.schema.className,
        of: rows)
    }
    self.rows = rows
    geometryColumns = target.geometryColumns
    var required: [(property: Property, column: Int)] = []
    var lacksRequired = false
    for (index, property) in layout.schema.properties.enumerated()
    where !property.isOptional && property.type != .any {
      guard case .scalar(let column) = layout.fields[index] else { continue }
      required.append((property, column))
      if !properties.contains(index) { lacksRequired = true }
    }
    (self.required, self.lacksRequired) = (required, lacksRequired)
    version = try settings.versionField.map { try Self.column($0, target, properties) }
    let embedded = target.imported.schema.objectSchema.filter {
      $0.isEmbedded && !$0.isPointShaped
    }
    report.schemaText = ([layout.schema] + embedded).map(\.summary).joined(separator: "\n")
    guard settings.keyPolicy == .fail || layout.schema.primaryKeyProperty != nil else {
      throw ImportError(
        "class '\(settings.className)' has no primary key to identify stored objects; name its "
          + "column with --pk")
    }
    guard settings.bounds == nil || geometryColumns != nil else {
      throw ImportError("--bbox needs a location: name its columns with --location or --wkt")
    }
  }

  /// Returns the column of a field of the files with a single value.
  private static func column(
    _ name: String, _ target: RowTarget, _ properties: [Int]
  ) throws -> Int {
    let root = target.layout.schema
    let property = try target.catalogue.schema.property(at: PropertyPath([name]), from: root)
    guard let index = root.index(of: name), properties.contains(index),
      let column = target.layout.column(of: property)
    else {
      throw ImportError(
        "--where-changed: expected a field of the files with a single value, found "
          + "'\(printable(name))'")
    }
    return column
  }

  /// Whether the limit of rows is reached.
  var isComplete: Bool {
    settings.limit.map { report.stored >= $0 } ?? false
  }

  /// Stores, skips or rejects a record.
  ///
  /// A row may stay pending until `storePending(_:)`, which must follow the last record of a file.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - path: The file, for messages.
  /// - Throws: ``ImportError`` if more records are rejected than allowed, `StoreError` if writing
  ///   fails.
  mutating func load(_ record: ParsedRecord, _ path: String) throws {
    report.read += 1
    switch record.outcome {
    case .failure(let rejection):
      try storePending(path)
      try reject(path, record.position, rejection)
    case .success(let row):
      if let rejection = try rejection(ofNew: row) {
        try storePending(path)
        return try reject(path, record.position, rejection)
      }
      guard try isSelected(row, path) else {
        report.skipped += 1
        return
      }
      guard settings.keyPolicy == .fail, row.members.isEmpty else {
        try storePending(path)
        return try store(row, record.position, path)
      }
      pending.rows.append(row.values)
      pending.positions.append(record.position)
      // The pending rows may reach the limit.
      if let limit = settings.limit, report.stored + pending.rows.count >= limit {
        try storePending(path)
      }
    }
  }

  /// Stores or rejects the pending rows.
  ///
  /// - Parameter path: The file, for messages.
  /// - Throws: ``ImportError`` if more records are rejected than allowed, `StoreError` if writing
  ///   fails.
  mutating func storePending(_ path: String) throws {
    let (rows, positions) = pending
    pending.rows.removeAll(keepingCapacity: true)
    pending.positions.removeAll(keepingCapacity: true)
    var next = 0
    while next < rows.count {
      do throws(StoreError) {
        let stored = try writer.insert(rows[next...])
        report.inserted += stored
        next += stored
      } catch {
        try rejectDuplicate(error, positions[next], path)
        next += 1
      }
    }
  }

  /// Returns the reason why a row cannot become a new object; nil if it can, or if its object is
  /// stored.
  ///
  /// - Throws: ``IncompleteObject`` if a change of the class can allow the object, or `StoreError`.
  private func rejection(ofNew row: ImportRow) throws -> Rejection? {
    guard !row.absent.isEmpty || lacksRequired,
      let missing = required.first(where: { row.values[$0.column].isNull })?.property
    else { return nil }
    if settings.keyPolicy != .fail, try writer.existing(row) != nil { return nil }
    if settings.altersClass, !settings.takesIncompleteObjects, !missing.isPrimaryKey {
      throw IncompleteObject()
    }
    return Rejection(
      field: missing.name,
      reason: "'\(printable(missing.name))' is missing; expected \(articled(missing.type)), "
        + "which is required")
  }

  /// Returns whether the predicate and the box select a row.
  ///
  /// Before an error is thrown, the pending rows are stored or rejected.
  private mutating func isSelected(_ row: ImportRow, _ path: String) throws -> Bool {
    do {
      return try isSelected(row)
    } catch {
      try storePending(path)
      throw error
    }
  }

  /// Stores or skips a row, or rejects it.
  private mutating func store(
    _ row: ImportRow, _ position: RecordPosition, _ path: String
  ) throws {
    do throws(StoreError) {
      switch settings.keyPolicy {
      case .update:
        let (outcome, key) = try writer.upsert(row, version: version)
        if settings.deletesMissing { imported.insert(key.rawValue) }
        switch outcome {
        case .inserted: report.inserted += 1
        case .updated: report.updated += 1
        case .unchanged: report.unchanged += 1
        }
      case .skip where try writer.existing(row) != nil: report.skipped += 1
      case .skip, .fail:
        try writer.insert(row)
        report.inserted += 1
      }
    } catch {
      try rejectDuplicate(error, position, path)
    }
  }

  /// Rejects a row whose primary key exists; throws any other error.
  private mutating func rejectDuplicate(
    _ error: StoreError, _ position: RecordPosition, _ path: String
  ) throws {
    guard case .duplicateKey(_, let property) = error.reason else { throw error }
    let reason =
      "an object with this '\(property)' exists already; use --upsert or --skip-existing, or "
      + "remove the duplicate"
    try reject(path, position, Rejection(field: property, reason: reason))
  }

  /// Deletes the objects that have no row in the files, if the settings say so.
  ///
  /// - Parameter transaction: The transaction of the import.
  /// - Throws: ``ImportError`` if a row was rejected or there is no row, `StoreError` if writing
  ///   fails.
  /// - Complexity: O(n log n) for n objects.
  mutating func deleteMissing(_ transaction: WriteTransaction) throws {
    guard settings.deletesMissing else { return }
    guard report.rejects.isEmpty else {
      throw ImportError(
        "--delete-missing: \(counted(report.rejects.count, "row")) of the files cannot be read, so "
          + "that the objects of these rows would be deleted; correct the rows")
    }
    guard report.read > 0 else {
      throw ImportError(
        "--delete-missing: the files have no rows, so that all objects would be deleted")
    }
    let missing = try transaction.keys(layout, after: ObjectKey(0), limit: .max)
      .map(\.rawValue).filter { !imported.contains($0) }.sorted()
    if !missing.isEmpty { try transaction.delete(layout.schema.className, missing) }
    report.deleted = missing.count
  }

  private mutating func isSelected(_ row: ImportRow) throws -> Bool {
    if let bounds = settings.bounds, !isInside(bounds, row) { return false }
    if let filter {
      rows.removeAll()
      if try !filter.matches(rows.append(row, layout)) { return false }
    }
    matched += 1
    return matched > settings.offset
  }

  private func isInside(_ bounds: BoundingBox, _ row: ImportRow) -> Bool {
    switch geometryColumns {
    case .point(let embedded):
      guard let point = embedded.point, let longitude = row.values[point.longitude].doubleValue,
        let latitude = row.values[point.latitude].doubleValue
      else { return false }
      return bounds.contains(longitude: longitude, latitude: latitude)
    case .geometry(let column):
      guard case .geometry(let shape) = row.values[column] else { return false }
      return bounds.intersects(shape)
    case nil: return false
    }
  }

  private mutating func reject(
    _ path: String, _ position: RecordPosition, _ rejection: Rejection
  ) throws {
    let row = RejectedRow(path, position, rejection)
    report.rejects.append(row)
    guard report.rejects.count > settings.maximumRejects else { return }
    let allowance =
      settings.maximumRejects == 0
      ? ""
      : " (rejected row \(report.rejects.count); --max-rejects allows \(settings.maximumRejects))"
    let location = FileLocation(row.file, line: row.line, column: row.column, record: row.record)
    throw ImportError("\(location): \(rejection.reason)\(allowance)")
  }
}

/// The error of a new object that lacks a required property, which a change of the class can make optional.
struct IncompleteObject: Error {}

extension RejectedRow {
  fileprivate init(_ path: String, _ position: RecordPosition, _ rejection: Rejection) {
    file = path
    let start: Int?
    (line, start, record) =
      switch position {
      case .line(let line, let column): (line, column, nil)
      case .record(let number): (nil, nil, number)
      }
    column = rejection.column ?? start
    field = rejection.field
    reason = rejection.reason
  }
}
