import CadastreModel
import CadastrePredicate
import CadastreStore

/// The rows of an import on their way into a transaction.
struct ImportLoad {
  private let settings: ImportSettings
  private let transaction: WriteTransaction
  private let layout: TableLayout
  private let converter: RowConverter
  private let evaluator: SlowEvaluator
  private let predicate: QueryPredicate?
  private let keyColumn: Int?
  private let place: PointColumns?
  private var passed = 0
  private(set) var report = ImportReport()

  init(
    _ settings: ImportSettings, _ imported: ImportedClass, _ header: [String],
    _ transaction: WriteTransaction
  ) throws {
    guard let layout = transaction.catalogue.layout(settings.className) else {
      throw ImportError("class '\(settings.className)' has no table")
    }
    self.settings = settings
    self.transaction = transaction
    self.layout = layout
    converter = RowConverter(imported, layout, header: header, nullText: settings.nullText)
    evaluator = SlowEvaluator(schema: transaction.catalogue.schema, root: layout.schema)
    predicate = try settings.predicate?.bound(
      to: transaction.catalogue.schema, root: layout.schema)
    keyColumn = layout.schema.primaryKeyProperty.flatMap(layout.column)
    place = layout.spatialIndexes.first?.point
    report.schemaText = layout.schema.description
    guard settings.keyPolicy == .fail || keyColumn != nil else {
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

  /// Takes in a row, or notes why not.
  ///
  /// - Throws: ``ImportError`` when more rows are refused than are allowed.
  mutating func take(
    _ record: borrowing CSVRecord, _ problem: DatasetError?, _ path: String
  ) throws {
    report.read += 1
    do {
      if let problem { throw problem }
      try store(try converter.row(record))
    } catch let error as DatasetError {
      try reject(path, error.line ?? record.lineNumber, error.problem.sentence)
    } catch let error as RowConverter.Refusal {
      try reject(path, record.lineNumber, error.reason)
    } catch let error as StoreError {
      guard case .duplicateKey(_, let property) = error.reason else { throw error }
      try reject(path, record.lineNumber, duplicate(property))
    }
  }

  private func duplicate(_ property: String) -> String {
    "an object with this '\(property)' is there already; use --upsert or --skip-existing, or "
      + "remove the repetition"
  }

  private mutating func store(_ row: [Value]) throws {
    guard try isWanted(row) else {
      report.skipped += 1
      return
    }
    if settings.keyPolicy != .fail, let keyColumn,
      let key = try transaction.key(settings.className, primaryKey: row[keyColumn])
    {
      guard settings.keyPolicy == .update else {
        report.skipped += 1
        return
      }
      try transaction.update(
        settings.className, key, row.indices.filter { $0 != keyColumn }.map { ($0, row[$0]) })
      report.updated += 1
    } else {
      _ = try transaction.insert(settings.className, row)
      report.inserted += 1
    }
  }

  private mutating func isWanted(_ row: [Value]) throws -> Bool {
    if let bounds = settings.bounds, let place {
      guard let longitude = row[place.longitude].doubleValue,
        let latitude = row[place.latitude].doubleValue,
        bounds.contains(longitude: longitude, latitude: latitude)
      else { return false }
    }
    if let predicate, try !evaluator.matches(RowSubject(row, layout), predicate) { return false }
    passed += 1
    return passed > settings.offset
  }

  private mutating func reject(_ path: String, _ line: Int, _ reason: String) throws {
    report.rejects.append(RejectedRow(file: path, line: line, reason: reason))
    guard report.rejects.count > settings.maximumRejects else { return }
    let allowance =
      settings.maximumRejects == 0
      ? ""
      : " (refused row \(report.rejects.count); --max-rejects allows \(settings.maximumRejects))"
    throw ImportError("\(path), line \(line): \(reason)\(allowance)")
  }
}
