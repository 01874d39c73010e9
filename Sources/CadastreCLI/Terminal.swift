import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastreStore
import Foundation

/// Standard output and standard error.
enum Terminal {
  /// An error in writing to standard output.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The width in columns of the terminal on standard output; nil if it is not a terminal.
  static var width: Int? { width(of: STDOUT_FILENO) }

  /// The width in columns of the terminal on standard error; nil if it is not a terminal.
  static var errorWidth: Int? { width(of: STDERR_FILENO) }

  private static func width(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) != 0 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Whether output may contain colours and bold text: standard output is a terminal, and neither
  /// `NO_COLOR` nor `TERM=dumb` asks for plain text.
  ///
  /// Source: no-color.org.
  static var isStyled: Bool {
    let environment = ProcessInfo.processInfo.environment
    return width != nil && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  /// Writes results to standard output.
  ///
  /// - Parameter text: The text.
  /// - Throws: `Failure` if the text cannot be written, for example because the disk is
  ///   full.
  static func write(_ text: String) throws(Failure) { try write(Array(text.utf8)) }

  /// Writes a text for people to standard output, with visible control characters.
  static func write(lines text: String) throws(Failure) { try write(printableLines(text)) }

  /// Writes a text for programs, such as SQL, to standard output; on a terminal control characters are visible.
  static func write(source text: String) throws(Failure) {
    try write(width == nil ? text : printableLines(text))
  }

  /// Writes results to standard output.
  ///
  /// If the reader has closed the pipe, the program removes its temporary files and ends by SIGPIPE.
  ///
  /// - Parameter bytes: The text in UTF-8.
  /// - Throws: `Failure` if the bytes cannot be written, for example because the disk is
  ///   full.
  static func write(_ bytes: [UInt8]) throws(Failure) {
    guard let code = write(bytes, to: STDOUT_FILENO) else { return }
    throw Failure(description: "cannot write the results: \(String(cString: strerror(code)))")
  }

  /// Writes bytes; if the reader has closed the pipe, the program removes its temporary files and ends by SIGPIPE.
  ///
  /// - Returns: The error number of a failed write; nil if all was written.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var pipe = sigset_t()
    var former = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    // The SIGPIPE of a failed write is pending until it is unblocked.
    pthread_sigmask(SIG_BLOCK, &pipe, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    guard !CompleteWrite.write(bytes, to: descriptor) else { return nil }
    let code = errno
    if code == EPIPE { TemporaryFiles.removeAll() }
    return code
  }

  /// Runs the part of a command that follows a change of a store.
  ///
  /// - Parameters:
  ///   - isChanged: Whether the store was changed.
  ///   - body: The part, for example the output of results.
  /// - Throws: The error of the part; exit status 3 if the store was changed, after a message with the error.
  static func afterChange(isChanged: Bool = true, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      guard isChanged else { throw error }
      report("Error: the store was changed, but then the command failed: \(error)")
      throw ExitCode(3)
    }
  }

  /// Whether messages and progress are suppressed.
  // Safe because only `main` sets it, before other threads start.
  nonisolated(unsafe) static var isQuiet = Environment.isQuiet

  /// Writes a message to standard error, unless the program is quiet, and ignores failures.
  static func say(_ text: String) {
    if !isQuiet { report(text) }
  }

  /// Writes a line to standard error, also if the program is quiet, and ignores failures.
  static func report(_ text: String) {
    _ = write(Array((printableMessage(text) + "\n").utf8), to: STDERR_FILENO)
  }

  /// Overwrites the current line of standard error.
  static func overwriteLine(_ text: String) {
    if isQuiet { return }
    let line = "\r" + printable(text) + "\u{1B}[K"
    _ = write(Array(line.utf8), to: STDERR_FILENO)
  }
}

extension Terminal {
  /// Writes objects of a query to standard output, and after a table their number to standard error.
  static func write(
    _ keys: [Int64], of query: StoreQuery, as format: RecordWriter.Format,
    _ columns: [OutputColumn], guardsFormulas: Bool, mostCellWidth: Int? = nil
  ) throws {
    var writer = RecordWriter(
      format, columns: columns,
      options(guardsFormulas, identifier: query.primaryKey, mostCellWidth: mostCellWidth))
    try query.write(keys, with: &writer, to: write)
    if format == .table { say(counted(keys.count, "object")) }
  }

  /// Writes objects of a database to standard output, and after a table their number to standard error.
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
    guardsFormulas: Bool, mostCellWidth: Int? = nil
  ) throws {
    var writer = RecordWriter(
      format, columns: columns, options(guardsFormulas, mostCellWidth: mostCellWidth))
    for record in records { try writer.append(record, to: write) }
    try writer.finish(to: write)
  }

  /// Writes keys to standard output, each on a line.
  static func write(keys: [Int64]) throws(Failure) {
    for start in stride(from: 0, to: keys.count, by: keysPerPiece) {
      let piece = keys[start..<min(start + keysPerPiece, keys.count)]
      try write(piece.map { "\($0)\n" }.joined())
    }
  }

  /// The number of keys that are written together.
  private static let keysPerPiece = 1 << 12

  /// Writes records one by one to standard output, and after a table their number to standard error.
  ///
  /// - Parameters:
  ///   - format: The output format.
  ///   - columns: The columns.
  ///   - noun: The noun of the records, in the singular.
  ///   - guardsFormulas: Whether texts in CSV that a spreadsheet would run are guarded.
  ///   - forEachRecord: Calls a closure with each record.
  /// - Throws: `Failure`, or the error of the closure.
  static func write(
    as format: RecordWriter.Format, _ columns: [OutputColumn], _ noun: String,
    guardsFormulas: Bool, _ forEachRecord: ((StoredRecord) throws -> Void) throws -> Void
  ) throws {
    var writer = RecordWriter(format, columns: columns, options(guardsFormulas))
    try forEachRecord { try writer.append($0, to: write) }
    try writer.finish(to: write)
    if format == .table { say(counted(writer.count, noun)) }
  }

  /// The width of values in tables that describe data, also without a terminal.
  static let describedWidth = 60

  private static func options(
    _ guardsFormulas: Bool, identifier: String? = nil, mostCellWidth: Int? = nil
  ) -> RecordWriter.Options {
    var options = RecordWriter.Options()
    options.width = width
    options.mostCellWidth = mostCellWidth
    options.isStyled = isStyled
    options.identifier = identifier
    options.guardsFormulas = guardsFormulas
    return options
  }
}
