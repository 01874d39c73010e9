import CadastreModel

/// A reader of text tables, row by row, in bounded memory.
///
///     let reader = try CSVReader(path: "airports.csv")
///     var record = CSVRecord()
///     while try reader.nextRecord(&record) {
///       record.withField(0) { bytes in … }
///     }
///
/// Every row must have as many fields as the header and be valid UTF-8. An invalid row throws an
/// error of scope `.row`; the record then contains the part that was read, and the next row can be
/// read. After an error of scope `.file` the reader is at its end. Empty lines are skipped, except in
/// tables with a single column, where they are empty values.
///
/// Source: RFC 4180; see `CSVScanner` for the extensions.
package final class CSVReader {
  /// The names of the columns, without surrounding blanks; not empty and distinct.
  package private(set) var header: [String] = []
  /// The names of columns that differ from the header, one clause each.
  package private(set) var notices: [String] = []
  /// Remarks about the rows.
  let remarks = ReaderNotices()
  /// The file, as named by the caller.
  package var path: String { file.path }
  /// The byte between two fields, specified or detected.
  package var delimiter: UInt8 { scanner.delimiter }
  /// The number of bytes in UTF-8 of the decompressed text that have been read.
  package var bytesRead: Int { bufferOffset + start }
  /// The number of bytes of the possibly compressed file that have been read.
  package var progressBytes: Int { file.bytesConsumed }
  /// The size of the file on disk; nil for a pipe.
  package var totalBytes: Int? { file.totalBytes }

  private let options: CSVOptions
  private let file: TranscodedBytes
  private var scanner: CSVScanner
  /// A part of the file.
  ///
  /// The bytes from `start` to `end` are unread.
  private var buffer: [UInt8]
  private var start = 0
  private var end = 0
  /// The offset of the first byte of `buffer` in the text.
  private var bufferOffset = 0
  private var isAtEnd = false
  /// The error of the next read, which is thrown after the rows before it.
  private var readError: DatasetError?
  /// The number of bytes passed to the scanner; tests compare it with the size of the file.
  private(set) var scannedBytes = 0
  /// Whether a line feed at `start` belongs to the preceding carriage return.
  private var skipsLineFeed = false
  private var lineNumber = 1
  /// Whether the file has a header.
  private var hasNames = false
  /// Whether the next row follows a byte order mark in the middle of the file.
  private var followsMark = false

  /// Opens a table and reads its header.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - options: The syntax of the table.
  /// - Throws: ``DatasetError`` if the file cannot be read or has no valid header.
  package init(path: String, options: CSVOptions = CSVOptions()) throws(DatasetError) {
    self.options = options
    file = try TranscodedBytes(
      path: path, encoding: options.encoding.flatMap(TranscodedBytes.Encoding.init))
    scanner = CSVScanner(delimiter: options.delimiter ?? 0, quote: options.quote)
    buffer = [UInt8](repeating: 0, count: max(options.chunkBytes, 1))
    try skipByteOrderMark()
    try readDelimiterLine()
    for _ in 0..<options.skippedLines { try skipLine() }
    if scanner.delimiter == 0 { try detectDelimiter() }
    if let columns = options.columns {
      header = columns
    } else {
      var hasHeader = options.hasHeader ?? true
      if options.hasHeader == nil { hasHeader = try detectHeader() }
      if hasHeader { try readHeader() } else { try countColumns() }
      hasNames = hasHeader
    }
  }

  /// Reads the next row.
  ///
  /// - Parameter record: Receives the row.
  /// - Returns: False at the end of the table.
  /// - Throws: ``DatasetError``, of scope `.row` for an invalid row.
  /// - Complexity: O(n) in the size of the row.
  package func nextRecord(_ record: inout CSVRecord) throws(DatasetError) -> Bool {
    repeat {
      guard let row = try takeRow(&record) else { return false }
      if row.contentEnd == 0, header.count != 1 { continue }
      if followsMark || repeatsFirstName(record) {
        // Where files were joined, the header occurs again.
        let isHeader = record.texts.map { String($0.trimmingBlanks()) } == header
        if isHeader, !followsMark {
          remarks.add(
            "line \(record.lineNumber) repeats the header, as where files were joined; it is left out"
          )
        }
        followsMark = false
        if isHeader { continue }
      }
      try check(row, &record)
      return true
    } while true
  }

  /// Returns whether a row may be the header of a table with several columns again.
  private func repeatsFirstName(_ record: CSVRecord) -> Bool {
    guard hasNames, header.count > 1, record.fields.count == header.count else { return false }
    return record.withField(0) { $0.elementsEqual(header[0].utf8) }
  }

  // MARK: - Start of the file

  /// Skips a byte order mark.
  private func skipByteOrderMark() throws(DatasetError) {
    while end < 4, !isAtEnd { try fill() }
    start = try TextSignature.byteOrderMark(buffer[..<min(end, 4)], path)
  }

  /// Moves to the start of the next line.
  private func skipLine(keepsBytes: Bool = false) throws(DatasetError) {
    while true {
      if skipsLineFeed, start < end {
        if buffer[start] == UInt8(ascii: "\n") { start += 1 }
        skipsLineFeed = false
      }
      let lineEnd = buffer[start..<end].firstIndex {
        $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
      }
      if let lineEnd {
        skipsLineFeed = buffer[lineEnd] == UInt8(ascii: "\r")
        start = lineEnd + 1
        lineNumber += 1
        return
      }
      start = end
      if isAtEnd { return }
      try fill(keepsBytes: keepsBytes)
    }
  }

  /// Reads the first line `sep=;`, by which spreadsheets name the delimiter; other lines stay unread.
  private func readDelimiterLine() throws(DatasetError) {
    while end - start < 6, !isAtEnd { try fill() }
    let line = buffer[start..<min(start + 6, end)]
    guard line.count > 4, line.prefix(4).map({ $0 | 0x20 }).elementsEqual("sep=".utf8),
      line.count == 5 || [0x0A, 0x0D].contains(line[start + 5])
    else { return }
    let named = line[start + 4]
    guard ![0x0A, 0x0D].contains(named), named != options.quote,
      options.delimiter == nil || options.delimiter == named
    else { return }
    scanner.delimiter = named
    try skipLine()
    remarks.add("the first line names the delimiter and is no row")
  }

  private func detectDelimiter() throws(DatasetError) {
    // No byte of UTF-8 text is 0xFF, so this scan finds lines without splitting fields.
    scanner.delimiter = 0xFF
    var line = CSVRecord()
    try peek { () throws(DatasetError) in
      while let row = try takeRow(&line, keepsBytes: true) {
        if row.contentEnd > 0 { break }
      }
    }
    let delimiters = line.bytes.withUnsafeBufferPointer {
      DelimiterSniffer.delimiters(in: $0, quote: options.quote)
    }
    // Of several candidates, the first one that divides all rows alike is the delimiter.
    for delimiter in delimiters where delimiters.count > 1 {
      scanner.delimiter = delimiter
      if dividesAlike() { return }
    }
    scanner.delimiter = delimiters[0]
  }

  /// Returns whether the delimiter divides the first rows into the same number of fields.
  private func dividesAlike() -> Bool {
    var record = CSVRecord()
    var (rows, fields) = (0, 0)
    let first = start
    do throws(DatasetError) {
      try peek { () throws(DatasetError) in
        while rows < DelimiterSniffer.rows, start - first < DelimiterSniffer.maximumBytes,
          let row = try takeRow(&record, keepsBytes: true)
        {
          guard row.contentEnd > 0 else { continue }
          if rows == 0 { fields = record.fields.count }
          let isPadded = record.fields.count > fields && record.hasEmptyFields(after: fields)
          guard record.fields.count == fields || isPadded else {
            fields = 0
            return
          }
          rows += 1
        }
      }
    } catch {
      return false
    }
    return fields > 1
  }

  /// Reads ahead in a closure and restores the position afterwards, also after an error.
  private func peek(_ body: () throws(DatasetError) -> Void) throws(DatasetError) {
    let position = (start, lineNumber)
    defer {
      (start, lineNumber) = position
      skipsLineFeed = false
    }
    do throws(DatasetError) {
      try body()
    } catch {
      // The error occurs again when the position is reached.
      isAtEnd = false
      throw error
    }
  }

  private func detectHeader() throws(DatasetError) -> Bool {
    var sniffer = HeaderSniffer()
    var record = CSVRecord()
    let first = start
    do throws(DatasetError) {
      try peek { () throws(DatasetError) in
        while !sniffer.isDecided, start - first < HeaderSniffer.maximumBytes,
          let row = try takeRow(&record, keepsBytes: true)
        {
          guard row.contentEnd > 0 else { continue }
          if let quote = options.quote { record.removeDoubledQuotes(quote) }
          sniffer.observe(record)
        }
      }
    } catch {
      if case .tooLong = error.problem { throw error }
      // The remaining rows are unknown; the error occurs again when they are read.
      return true
    }
    return sniffer.hasHeader
  }

  /// Names the columns of a table without header by their numbers.
  ///
  /// The first row has all columns, or the longest of many rows if the others may be shorter.
  private func countColumns() throws(DatasetError) {
    var record = CSVRecord()
    var (rows, columns) = (0, 0)
    try peek { () throws(DatasetError) in
      while rows < (options.padsRows ? 1000 : 1),
        let row = try takeRow(&record, keepsBytes: true)
      {
        guard row.contentEnd > 0 else { continue }
        rows += 1
        columns = max(columns, record.fields.count)
      }
    }
    guard rows > 0 else { throw fileError(nil, .empty) }
    try checkCount(columns)
    header = (0..<columns).map { "column\($0 + 1)" }
  }

  private func readHeader() throws(DatasetError) {
    var record = CSVRecord()
    var headerRow: CSVScanner.Row?
    while headerRow == nil, let row = try takeRow(&record) {
      if row.contentEnd > 0 { headerRow = row }
    }
    guard let headerRow else { throw fileError(nil, .empty) }
    try checkCount(record.fields.count)
    var names: [String] = []
    do {
      try check(headerRow, &record, isHeader: true)
      names = record.texts.map { String($0.trimmingBlanks()) }
    } catch {
      throw DatasetError(path: path, line: error.line, problem: error.problem)
    }
    guard !names.contains(where: { $0.contains("\0") }) else {
      throw fileError(nil, .foreignContent(found: "binary data"))
    }
    let distinct = HeaderNames(names)
    header = distinct.names
    notices = distinct.notices
  }

  /// Throws if a table has more columns than a class can have.
  private func checkCount(_ columns: Int) throws(DatasetError) {
    guard columns > options.columnLimit else { return }
    throw fileError(nil, .tooManyColumns(found: columns, maximum: options.columnLimit))
  }

  // MARK: - Rows

  /// Moves the bytes of the next row from the buffer to a record, without validation.
  ///
  /// - Parameters:
  ///   - record: Receives the row, with doubled quotes.
  ///   - keepsBytes: Whether the row must stay in the buffer because it is read again.
  /// - Returns: The ends of the row; nil at the end of the file.
  /// - Throws: ``DatasetError`` of scope `.file`.
  private func takeRow(
    _ record: inout CSVRecord, keepsBytes: Bool = false
  ) throws(DatasetError) -> CSVScanner.Row? {
    while true {
      if skipsLineFeed, start < end {
        if buffer[start] == UInt8(ascii: "\n") { start += 1 }
        skipsLineFeed = false
      }
      if start == end {
        if isAtEnd { return nil }
        try fill(keepsBytes: keepsBytes)
        continue
      }
      if buffer[start] == 0xEF, try skipMark(keepsBytes: keepsBytes) { continue }
      if let comment = options.comment, buffer[start] == comment {
        try skipLine(keepsBytes: keepsBytes)
        continue
      }
      scannedBytes += end - start
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
        skipsLineFeed = row.endsWithCR
        return row
      case .needsMore(let fieldStart, let quoteLineEnds):
        let line = lineNumber + (quoteLineEnds ?? 0)
        if isAtEnd { throw fileError(line, .unterminatedQuote) }
        let pending = end - start
        if pending - fieldStart > options.fieldLimitBytes {
          throw tooLong(line, options.fieldLimitBytes, inQuotes: quoteLineEnds != nil)
        }
        if pending > options.rowLimitBytes {
          throw tooLong(lineNumber, options.rowLimitBytes, inQuotes: false)
        }
        try fill(keepsBytes: keepsBytes)
        // The row is scanned again from its start, so it doubles to be scanned in linear time.
        while end - start < 2 * pending, !isAtEnd, readError == nil {
          do throws(DatasetError) { try fill(keepsBytes: keepsBytes) } catch { readError = error }
        }
      }
    }
  }

  /// Skips a byte order mark at the start of a row; returns false for other bytes.
  private func skipMark(keepsBytes: Bool) throws(DatasetError) -> Bool {
    while end - start < 3, !isAtEnd { try fill(keepsBytes: keepsBytes) }
    guard buffer[start..<end].starts(with: [0xEF, 0xBB, 0xBF]) else { return false }
    start += 3
    if bufferOffset + start > 3, !keepsBytes {
      followsMark = true
      remarks.add(
        "line \(lineNumber) begins with a byte order mark, as where files were joined; the mark and a repeated "
          + "header are left out")
    }
    return true
  }

  /// Throws if a row or one of its fields exceeds the maximum size.
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

  /// Validates a row and removes doubled quotes.
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
    if !isHeader, options.padsRows, record.fields.count < header.count {
      record.addEmptyFields(header.count - record.fields.count)
    }
    if !isHeader, record.fields.count > header.count, record.hasEmptyFields(after: header.count) {
      record.fields.removeLast(record.fields.count - header.count)
      remarks.add("empty fields after the last column are left out")
    }
    if !isHeader, record.fields.count != header.count {
      throw rowError(record, .ragged(expected: header.count, found: record.fields.count))
    }
  }

  // MARK: - Buffer

  /// Reads more bytes into the buffer, which is compacted or extended.
  private func fill(keepsBytes: Bool = false) throws(DatasetError) {
    if let readError { throw readError }
    // While reading ahead, bytes keep their offsets, because the caller has stored the position.
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
    let requested = min(buffer.count - end, max(options.chunkBytes, 1))
    let result = buffer.withUnsafeMutableBytes {
      [file, end] bytes -> Swift.Result<Int, DatasetError> in
      do throws(DatasetError) {
        return .success(try file.read(into: .init(rebasing: bytes[end..<end + requested])))
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

  /// Moves to the end of the file and returns an error of scope `.file`.
  private func fileError(_ line: Int?, _ problem: DatasetError.Problem) -> DatasetError {
    start = end
    isAtEnd = true
    return DatasetError(path: path, line: line, problem: problem)
  }

  private func tooLong(_ line: Int, _ limit: Int, inQuotes: Bool) -> DatasetError {
    fileError(line, .tooLong(limitBytes: limit, inQuotes: inQuotes))
  }
}

// Not Sendable: every call moves the position in the file.
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
