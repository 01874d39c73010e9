import CadastreDatasets
import FuzzingDriver

/// The properties that the CSV reader must have for every file.
///
/// - Reading ends, with rows or with an error that has a message.
/// - An accepted row has a field for every column and starts after the previous row.
/// - Rows and errors do not depend on the chunk size. Errors of length are excepted, because quotes
///   count towards the limit only if they are in the same chunk.
struct CSVProperties: ReaderProperties {
  /// Whether the file may be gzipped; its size then does not bound the number of rows.
  var isCompressed = false

  func check(_ bytes: UnsafeBufferPointer<UInt8>, path: String) {
    let single = events(path, chunkBytes: CSVOptions().chunkBytes, bytes.count)
    let chunked = events(path, chunkBytes: 1 + bytes.count % 7, bytes.count)
    let isLong = (single + chunked).contains { $0.contains("in one value or row") }
    if single != chunked, !isLong {
      stop("read at once:\n\(single)\nread in chunks:\n\(chunked)")
    }
  }

  private func events(_ path: String, chunkBytes: Int, _ size: Int) -> [String] {
    var options = CSVOptions()
    options.chunkBytes = chunkBytes
    options.fieldLimitBytes = 64
    var events: [String] = []
    do throws(DatasetError) {
      let reader = try CSVReader(path: path, options: options)
      events.append("\(reader.header)")
      var record = CSVRecord()
      while true {
        do throws(DatasetError) {
          guard try reader.nextRecord(&record) else { return events }
          if record.fieldCount != reader.header.count { stop("a ragged row was accepted") }
          events.append("\(record.lineNumber) \(record.byteOffset) \(record.texts)")
        } catch {
          guard error.scope == .row else { throw error }
          events.append("\(error)")
        }
        if reader.progressBytes > size { stop("the progress exceeds the size of the file") }
        if isCompressed {
          if events.count > 1_000_000 { stop("reading does not end") }
          continue
        }
        // The three bytes of a character in UTF-8 may be two in UTF-16.
        if reader.bytesRead > size * 3 / 2 {
          stop("\(reader.bytesRead) of \(size) bytes were read")
        }
        if events.count > size + 2 { stop("the file has more rows than bytes") }
      }
    } catch {
      if error.problem == .missing { stop("the file is missing") }
      events.append("\(error)")
      return events
    }
  }
}
