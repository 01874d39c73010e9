import CadastreDatasets
import FuzzingDriver

/// What holds for every file that is read as a table.
///
/// - reading ends, in rows or in an error that has a sentence;
/// - a row that is accepted has a field for every column, and lies in the file behind the last;
/// - wherever the file is cut into pieces, rows and errors are the same, but for those of length:
///   whether quotes count towards the limit depends on what is in memory.
struct CSVLaws: ReaderLaws {
  /// Whether the file may be gzipped, so that it says nothing about how much there is to read.
  var isPacked = false

  func check(_ bytes: UnsafeBufferPointer<UInt8>, path: String) {
    let whole = events(path, chunkBytes: CSVOptions().chunkBytes, bytes.count)
    let pieces = events(path, chunkBytes: 1 + bytes.count % 7, bytes.count)
    let isLong = (whole + pieces).contains { $0.contains("in one value or row") }
    if whole != pieces, !isLong { stop("read at once:\n\(whole)\nread in pieces:\n\(pieces)") }
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
          if record.fieldCount != reader.header.count { stop("a ragged row is accepted") }
          events.append("\(record.lineNumber) \(record.byteOffset) \(record.texts)")
        } catch {
          guard error.scope == .row else { throw error }
          events.append("\(error)")
        }
        if reader.progressBytes > size { stop("more of the file is read than there is") }
        if isPacked {
          if events.count > 1_000_000 { stop("reading does not end") }
          continue
        }
        if reader.bytesRead > size { stop("\(reader.bytesRead) bytes are read of \(size)") }
        if events.count > size + 2 { stop("there are more rows than bytes") }
      }
    } catch {
      if error.problem == .missing { stop("the file is gone") }
      events.append("\(error)")
      return events
    }
  }
}
