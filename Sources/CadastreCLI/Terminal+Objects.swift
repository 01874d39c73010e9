import CadastreDatasets
import CadastreFormatting

extension Terminal {
  /// Writes objects of a query to standard output; the number of those in a table to standard error.
  static func write(
    _ keys: [Int64], of query: StoreQuery, as format: RecordWriter.Format,
    _ columns: [OutputColumn], guardsFormulas: Bool
  ) throws {
    var writer = RecordWriter(
      format, columns: columns, options(guardsFormulas, identifier: query.primaryKey))
    try query.write(keys, with: &writer, to: write)
    if format == .table { say(counted(keys.count, "object")) }
  }

  /// Writes objects of a database to standard output; the number of those in a table to standard
  /// error.
  static func write(
    _ objects: RemoteObjects, as format: RecordWriter.Format, _ columns: [OutputColumn],
    guardsFormulas: Bool
  ) throws {
    let writer = RecordWriter(
      format, columns: columns, options(guardsFormulas, identifier: objects.primaryKey))
    let count = try objects.write(with: writer, to: write)
    if format == .table { say(counted(count, "object")) }
  }

  /// Writes records to standard output.
  static func write(
    _ records: [StoredRecord], as format: RecordWriter.Format, _ columns: [OutputColumn],
    guardsFormulas: Bool
  ) throws {
    var writer = RecordWriter(format, columns: columns, options(guardsFormulas))
    for record in records { writer.append(record) }
    writer.finish()
    try write(writer.take())
  }

  /// Writes records one by one to standard output; the number of those in a table to standard error.
  ///
  /// - Parameters:
  ///   - format: The output format.
  ///   - columns: The columns.
  ///   - noun: What is counted.
  ///   - guardsFormulas: Whether texts in CSV that a spreadsheet would run are guarded.
  ///   - forEachRecord: Calls a closure with each record.
  /// - Throws: `Failure`, or the error of the closure.
  static func write(
    as format: RecordWriter.Format, _ columns: [OutputColumn], _ noun: String,
    guardsFormulas: Bool, _ forEachRecord: ((StoredRecord) throws -> Void) throws -> Void
  ) throws {
    var writer = RecordWriter(format, columns: columns, options(guardsFormulas))
    try forEachRecord { record in
      writer.append(record)
      if writer.pendingBytes > 1 << 16 { try write(writer.take()) }
    }
    writer.finish()
    try write(writer.take())
    if format == .table { say(counted(writer.count, noun)) }
  }

  private static func options(
    _ guardsFormulas: Bool, identifier: String? = nil
  ) -> RecordWriter.Options {
    var options = RecordWriter.Options()
    options.width = width
    options.isStyled = isStyled
    options.identifier = identifier
    options.guardsFormulas = guardsFormulas
    return options
  }
}
