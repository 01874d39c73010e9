/// Reads a table of text row by row, holding no more of the file than one piece and one row.
///
///     let reader = try CSVReader(path: "airports.csv")
///     var record = CSVRecord()
///     while try reader.nextRecord(&record) {
///       record.withField(0) { bytes in … }
///     }
///
/// Rows are checked: every row has as many fields as the header, and every byte is UTF-8. A row
/// that fails throws an error of scope `.row`, is left in `record` as far as it could be read,
/// and does not stop the next call; an error of scope `.file` does. Empty lines are passed over,
/// unless the table has a single column, where they are empty values.
///
/// Source: RFC 4180; see `CSVScanner` for the liberties taken.
package final class CSVReader {
  /// The names of the columns, without surrounding blanks; never empty, all different.
  package private(set) var header: [String] = []
  /// The file, as it was named by the caller.
  package var path: String { file.path }
  /// The byte between two fields, given or found out.
  package var delimiter: UInt8 { scanner.delimiter }
  /// How far reading has come, in bytes from the start of the text.
  package var bytesRead: Int { bufferOffset + start }
  /// How far reading has come, in bytes of `totalBytes`; the file may be compressed.
  package var progressBytes: Int { file.bytesConsumed }
  /// The size of the file on the disk; nil for a pipe.
  package var totalBytes: Int? { file.totalBytes }

  private let options: CSVOptions
  private let file: FileBytes
  private var scanner: CSVScanner
  /// A piece of the file; the part from `start` to `end` is still to be read.
  private var buffer: [UInt8]
  private var start = 0
  private var end = 0
  /// Where the first byte of `buffer` stands in the file.
  private var bufferOffset = 0
  private var isAtEnd = false
  /// Whether a line feed would belong to the line end before it.
  private var mayPassLineFeed = false
  private var lineNumber = 1

  /// Opens a table and reads its header.
  package init(path: String, options: CSVOptions = CSVOptions()) throws(DatasetError) {
    self.options = options
    file = try FileBytes(path: path)
    scanner = CSVScanner(delimiter: options.delimiter ?? 0, quote: options.quote)
    buffer = [UInt8](repeating: 0, count: max(options.chunkBytes, 1))
    try passByteOrderMark()
    if options.delimiter == nil { try sniffDelimiter() }
    if let columns = options.columns {
      header = columns
    } else {
      var hasHeader = options.hasHeader ?? true
      if options.hasHeader == nil { hasHeader = try seemsToHaveHeader() }
      if hasHeader { try readHeader() } else { try countColumns() }
    }
  }

  /// Reads the next row.
  ///
  /// - Parameter record: Receives the row.
  /// - Returns: False when there is no further row.
  /// - Throws: What is wrong with the row, or with the file from here on.
  /// - Complexity: O(n) in the bytes of the row.
  package func nextRecord(_ record: inout CSVRecord) throws(DatasetError) -> Bool {
    repeat {
      guard let row = try takeRow(&record) else { return false }
      if row.contentEnd == 0, header.count != 1 { continue }
      try check(row, &record)
      return true
    } while true
  }

  // MARK: - Start of the file

  /// Steps over a byte order mark and refuses what is plainly not UTF-8 text.
  private func passByteOrderMark() throws(DatasetError) {
    while end < 4, !isAtEnd { try fill() }
    start = try TextSignature.byteOrderMark(buffer[..<min(end, 4)], path)
  }

  private func sniffDelimiter() throws(DatasetError) {
    // No byte of UTF-8 text is 0xFF, so this scan sees lines, not fields.
    scanner.delimiter = 0xFF
    var line = CSVRecord()
    try peek { () throws(DatasetError) in
      while let row = try takeRow(&line, keepsBytes: true) {
        if row.contentEnd > 0 { break }
      }
    }
    scanner.delimiter = line.bytes.withUnsafeBufferPointer {
      DelimiterSniffer.delimiter(in: $0, quote: options.quote)
    }
  }

  /// Reads on and comes back, also from where nothing can be read.
  private func peek(_ body: () throws(DatasetError) -> Void) throws(DatasetError) {
    let position = (start, lineNumber)
    defer {
      (start, lineNumber) = position
      mayPassLineFeed = false
    }
    do throws(DatasetError) {
      try body()
    } catch {
      // What ended the reading comes up again in its place.
      isAtEnd = false
      throw error
    }
  }

  private func seemsToHaveHeader() throws(DatasetError) -> Bool {
    var sniffer = HeaderSniffer()
    var record = CSVRecord()
    let first = start
    do throws(DatasetError) {
      try peek { () throws(DatasetError) in
        while !sniffer.isSure, start - first < HeaderSniffer.bytesWanted,
          let row = try takeRow(&record, keepsBytes: true)
        {
          guard row.contentEnd > 0 else { continue }
          if let quote = options.quote { record.removeDoubledQuotes(quote) }
          sniffer.observe(record)
        }
      }
    } catch {
      if case .tooLong = error.problem { throw error }
      // Nobody knows how the rows would have gone on; who reads on learns why.
      return true
    }
    return sniffer.hasHeader
  }

  /// Names the columns of a table without a header by their numbers.
  private func countColumns() throws(DatasetError) {
    var record = CSVRecord()
    try peek { () throws(DatasetError) in
      while let row = try takeRow(&record, keepsBytes: true) {
        if row.contentEnd > 0 { break }
      }
    }
    guard !record.fields.isEmpty else { throw fileError(nil, .empty) }
    header = record.fields.indices.map { "column\($0 + 1)" }
  }

  private func readHeader() throws(DatasetError) {
    var record = CSVRecord()
    var found: CSVScanner.Row?
    while found == nil, let row = try takeRow(&record) {
      if row.contentEnd > 0 { found = row }
    }
    guard let found else { throw fileError(nil, .empty) }
    var names: [String] = []
    do {
      try check(found, &record, isHeader: true)
      names = record.texts.map { String($0.trimmingBlanks()) }
    } catch {
      throw DatasetError(path: path, line: error.line, problem: error.problem)
    }
    if let index = names.firstIndex(of: "") {
      throw fileError(record.lineNumber, .unnamedColumn(number: index + 1))
    }
    var seen: [String: Int] = [:]
    for (index, name) in names.enumerated() {
      if let first = seen.updateValue(index + 1, forKey: name) {
        throw fileError(
          record.lineNumber, .repeatedColumn(name: name, first: first, second: index + 1))
      }
    }
    header = names
  }

  // MARK: - Rows

  /// Takes the bytes of the next row out of the buffer, unchecked; nil at the end of the file.
  ///
  /// - Parameters:
  ///   - record: Receives the row, quotes still doubled.
  ///   - keepsBytes: Whether the row is to stay in the buffer, to be read again.
  /// - Returns: Where the row ended.
  /// - Throws: An error of the file: no row can be made out.
  private func takeRow(
    _ record: inout CSVRecord, keepsBytes: Bool = false
  ) throws(DatasetError) -> CSVScanner.Row? {
    while true {
      if mayPassLineFeed, start < end {
        if buffer[start] == UInt8(ascii: "\n") { start += 1 }
        mayPassLineFeed = false
      }
      if start == end {
        if isAtEnd { return nil }
        try fill(keepsBytes: keepsBytes)
        continue
      }
      let outcome = buffer.withUnsafeBufferPointer {
        scanner.scan(
          UnsafeBufferPointer(rebasing: $0[start..<end]), isLast: isAtEnd, into: &record.fields)
      }
      switch outcome {
      case .row(let row):
        try checkLength(row, record.fields)
        record.lineNumber = lineNumber
        record.byteOffset = bytesRead
        record.bytes.removeAll(keepingCapacity: true)
        record.bytes.append(contentsOf: buffer[start..<start + row.contentEnd])
        start += row.next
        lineNumber += row.lineEnds
        mayPassLineFeed = row.endsWithCR
        return row
      case .needsMore(let fieldStart, let quoteLineEnds):
        let line = lineNumber + (quoteLineEnds ?? 0)
        if isAtEnd { throw fileError(line, .unterminatedQuote) }
        let waiting = end - start
        if waiting - fieldStart > options.fieldLimitBytes {
          throw tooLong(line, options.fieldLimitBytes, inQuotes: quoteLineEnds != nil)
        }
        if waiting > options.rowLimitBytes {
          throw tooLong(lineNumber, options.rowLimitBytes, inQuotes: false)
        }
        try fill(keepsBytes: keepsBytes)
      }
    }
  }

  /// Applies the limits to a row that was whole in the buffer.
  private func checkLength(
    _ row: CSVScanner.Row, _ fields: [CSVField]
  ) throws(DatasetError) {
    guard row.contentEnd > options.fieldLimitBytes else { return }
    for field in fields where Int(field.end - field.start) > options.fieldLimitBytes {
      throw tooLong(lineNumber, options.fieldLimitBytes, inQuotes: false)
    }
    guard row.contentEnd <= options.rowLimitBytes else {
      throw tooLong(lineNumber, options.rowLimitBytes, inQuotes: false)
    }
  }

  /// Checks a row against the header and unquotes it.
  private func check(
    _ row: CSVScanner.Row, _ record: inout CSVRecord, isHeader: Bool = false
  ) throws(DatasetError) {
    let invalid = record.bytes.withUnsafeBufferPointer { UTF8Check.firstInvalidOffset(in: $0) }
    if let quote = options.quote { record.removeDoubledQuotes(quote) }
    if let invalid {
      let field = record.fields.lastIndex { Int($0.start) <= invalid } ?? 0
      throw rowError(
        record,
        .invalidUTF8(column: columnName(field), byteOffset: record.byteOffset + invalid))
    }
    if let field = row.fieldWithTextAfterQuote {
      throw rowError(record, .textAfterQuote(column: columnName(field)))
    }
    if !isHeader, record.fields.count != header.count {
      throw rowError(record, .ragged(expected: header.count, found: record.fields.count))
    }
  }

  // MARK: - Pieces of the file

  /// Makes room and reads another piece behind what is still to be read.
  private func fill(keepsBytes: Bool = false) throws(DatasetError) {
    // While rows are to be read again nothing may move, as the caller holds their place.
    if !keepsBytes, start > 0 {
      buffer.withUnsafeMutableBytes {
        $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<end]))
      }
      bufferOffset += start
      end -= start
      start = 0
    }
    if end == buffer.count {
      buffer.append(contentsOf: repeatElement(0, count: buffer.count))
    }
    let wanted = min(buffer.count - end, max(options.chunkBytes, 1))
    let result = buffer.withUnsafeMutableBytes {
      [file, end] bytes -> Swift.Result<Int, DatasetError> in
      do throws(DatasetError) {
        return .success(try file.read(into: .init(rebasing: bytes[end..<end + wanted])))
      } catch {
        return .failure(error)
      }
    }
    let count = try result.get()
    end += count
    isAtEnd = count == 0
  }

  // MARK: - Errors

  private func columnName(_ index: Int) -> String {
    index < header.count ? header[index] : "\(index + 1)"
  }

  private func rowError(_ record: CSVRecord, _ problem: DatasetError.Problem) -> DatasetError {
    DatasetError(path: path, line: record.lineNumber, scope: .row, problem: problem)
  }

  /// Makes an error after which there is nothing left to read.
  private func fileError(_ line: Int?, _ problem: DatasetError.Problem) -> DatasetError {
    start = end
    isAtEnd = true
    return DatasetError(path: path, line: line, problem: problem)
  }

  private func tooLong(_ line: Int, _ limit: Int, inQuotes: Bool) -> DatasetError {
    fileError(line, .tooLong(limitBytes: limit, inQuotes: inQuotes))
  }
}

// Not Sendable: every call moves its place in the file.
@available(*, unavailable)
extension CSVReader: Sendable {}

extension StringProtocol {
  /// The text without spaces and tabs at its ends.
  func trimmingBlanks() -> SubSequence {
    guard let first = firstIndex(where: { $0 != " " && $0 != "\t" }) else {
      return self[startIndex..<startIndex]
    }
    let last = lastIndex { $0 != " " && $0 != "\t" } ?? first
    return self[first...last]
  }
}
