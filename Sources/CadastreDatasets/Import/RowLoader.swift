import CadastreFormatting
import CadastreModel
import CadastrePredicate
import CadastreStore

/// The rows of an import on their way into a transaction.
struct ImportLoad {
  private let settings: ImportSettings
  private let layout: TableLayout
  private let writer: RowWriter
  private let evaluator: ReferenceEvaluator
  private let predicate: QueryPredicate?
  private let place: PointColumns?
  private var passed = 0
  private(set) var report = ImportReport()

  init(
    _ settings: ImportSettings, _ target: RowTarget, properties: [Int],
    _ transaction: WriteTransaction
  ) throws {
    let schema = transaction.catalogue.schema
    self.settings = settings
    layout = target.layout
    writer = RowWriter(transaction, layout, properties: properties)
    evaluator = ReferenceEvaluator(schema: schema, root: layout.schema)
    predicate = try settings.predicate?.bound(to: schema, root: layout.schema).named
    place = target.place?.point
    let embedded = target.imported.schema.objectSchema.filter {
      $0.isEmbedded && !$0.isPointShaped
    }
    report.schemaText = ([layout.schema] + embedded).map(\.description).joined(separator: "\n")
    guard settings.keyPolicy == .fail || layout.schema.primaryKeyProperty != nil else {
      throw ImportError(
        "class '\(settings.className)' has no primary key to find stored objects by; name its "
          + "column with --pk")
    }
    guard settings.bounds == nil || place != nil else {
      throw ImportError("--bbox needs a place: name its columns with --location or --wkt")
    }
  }

  /// Whether as many rows are taken as were asked for.
  var isFull: Bool {
    settings.limit.map { report.inserted + report.updated >= $0 } ?? false
  }

  /// Takes in a record, or notes why not.
  ///
  /// - Throws: ``ImportError`` when more records are refused than are allowed.
  mutating func take(_ record: ParsedRecord, _ path: String) throws {
    report.read += 1
    switch record.outcome {
    case .failure(let refusal): try reject(path, record.place, refusal)
    case .success(let row):
      do {
        try store(row)
      } catch let error as StoreError {
        guard case .duplicateKey(_, let property) = error.reason else { throw error }
        let reason =
          "an object with this '\(property)' is there already; use --upsert or --skip-existing, or "
          + "remove the repetition"
        try reject(path, record.place, Refusal(field: property, reason: reason))
      }
    }
  }

  private mutating func store(_ row: ImportRow) throws {
    guard try isWanted(row) else {
      report.skipped += 1
      return
    }
    if settings.keyPolicy != .fail, let key = try writer.existing(row) {
      guard settings.keyPolicy == .update else {
        report.skipped += 1
        return
      }
      try writer.update(key, row)
      report.updated += 1
    } else {
      try writer.insert(row)
      report.inserted += 1
    }
  }

  private mutating func isWanted(_ row: ImportRow) throws -> Bool {
    if let bounds = settings.bounds, let place {
      guard let longitude = row.values[place.longitude].doubleValue,
        let latitude = row.values[place.latitude].doubleValue,
        bounds.contains(longitude: longitude, latitude: latitude)
      else { return false }
    }
    if let predicate, try !evaluator.matches(RowSubject(row, layout), predicate) { return false }
    passed += 1
    return passed > settings.offset
  }

  private mutating func reject(_ path: String, _ place: RecordPlace, _ refusal: Refusal) throws {
    let row = RejectedRow(path, place, refusal)
    report.rejects.append(row)
    guard report.rejects.count > settings.maximumRejects else { return }
    let allowance =
      settings.maximumRejects == 0
      ? ""
      : " (refused row \(report.rejects.count); --max-rejects allows \(settings.maximumRejects))"
    throw ImportError("\(row.place): \(refusal.reason)\(allowance)")
  }
}

extension RejectedRow {
  fileprivate init(_ path: String, _ place: RecordPlace, _ refusal: Refusal) {
    file = path
    (line, record) =
      switch place {
      case .line(let line): (line, nil)
      case .record(let number): (nil, number)
      }
    column = refusal.column
    field = refusal.field
    reason = refusal.reason
  }

  /// The file and where in it.
  fileprivate var place: String {
    var place = printable(file)
    if let line { place += ", line \(line)" }
    if let column { place += ", column \(column)" }
    if let record { place += ", record \(record)" }
    return place
  }
}
