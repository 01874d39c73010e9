package import CadastreDatasets

/// The result of reading a JSON file: its records and its errors.
package struct JSONReading: Equatable, Sendable {
  package var records: [JSONTree] = []
  /// The line number and the byte offset of each record, in pairs.
  package var positions: [Int] = []
  package var rowErrors: [DatasetError] = []
  /// The error that ended the reading; nil if the reader reached the end of the file.
  package var fileError: DatasetError?
  /// Whether the reader read past the end of the file, or returned more records than the file has
  /// bytes.
  package var isOutOfBounds = false

  /// Reads a file to its end or to the first error that ends the reading.
  package init(
    _ path: String, _ framing: JSONReader.Framing? = nil, options: JSONOptions = JSONOptions()
  ) {
    do throws(DatasetError) {
      let reader = try JSONReader(path: path, framing: framing, options: options)
      var record = JSONRecord()
      while !isOutOfBounds {
        do throws(DatasetError) {
          guard try reader.nextRecord(&record) else { return }
          records.append(JSONTree(record, JSONRecord.root))
          positions += [record.lineNumber, record.byteOffset]
        } catch {
          guard error.scope == .row else { throw error }
          rowErrors.append(error)
        }
        isOutOfBounds =
          reader.bytesRead > reader.totalBytes ?? .max
          || records.count + rowErrors.count > reader.bytesRead
      }
    } catch {
      fileError = error
    }
  }

  /// Whether no error occurred.
  package var isClean: Bool { rowErrors.isEmpty && fileError == nil }
}
