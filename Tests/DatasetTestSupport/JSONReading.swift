package import CadastreDatasets

/// What a reader made of a JSON file: records, and errors in between.
package struct JSONReading: Equatable, Sendable {
  package var records: [JSONTree] = []
  /// Line and byte offset of each record, one behind the other.
  package var places: [Int] = []
  package var rowErrors: [DatasetError] = []
  /// What ended the reading, if that was not the end of the file.
  package var fileError: DatasetError?
  /// Whether the reader went behind the end of the file, or found more records than bytes.
  package var isAstray = false

  /// Reads a file to its end.
  package init(
    _ path: String, _ framing: JSONReader.Framing? = nil, options: JSONOptions = JSONOptions()
  ) {
    do throws(DatasetError) {
      let reader = try JSONReader(path: path, framing: framing, options: options)
      var record = JSONRecord()
      while !isAstray {
        do throws(DatasetError) {
          guard try reader.nextRecord(&record) else { return }
          records.append(JSONTree(record, JSONRecord.root))
          places += [record.lineNumber, record.byteOffset]
        } catch {
          guard error.scope == .row else { throw error }
          rowErrors.append(error)
        }
        isAstray =
          reader.bytesRead > reader.totalBytes ?? .max
          || records.count + rowErrors.count > reader.bytesRead
      }
    } catch {
      fileError = error
    }
  }

  /// Whether nothing was refused.
  package var isClean: Bool { rowErrors.isEmpty && fileError == nil }
}
