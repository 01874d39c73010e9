import CadastreDatasets
import CadastreFormatting

extension Terminal {
  /// Writes objects of a query to standard output; the number of those in a table to standard error.
  static func write(
    _ keys: [Int64], of query: StoreQuery, as format: RecordWriter.Format,
    _ columns: [OutputColumn]
  ) throws {
    var writer = RecordWriter(format, columns: columns, options(identifier: query.primaryKey))
    try query.write(keys, with: &writer, to: write)
    if format == .table { say(counted(keys.count, "object")) }
  }

  /// Writes records to standard output.
  static func write(
    _ records: [StoredRecord], as format: RecordWriter.Format, _ columns: [OutputColumn]
  ) throws {
    var writer = RecordWriter(format, columns: columns, options(identifier: nil))
    for record in records { writer.append(record) }
    writer.finish()
    try write(writer.take())
  }

  private static func options(identifier: String?) -> RecordWriter.Options {
    var options = RecordWriter.Options()
    options.width = width
    options.isStyled = isStyled
    options.identifier = identifier
    return options
  }
}
