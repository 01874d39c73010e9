import CadastreDatasets
import Foundation

/// Standard output and standard error.
enum Terminal {
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
  /// - Throws: `OutputFile.Failure` if the text cannot be written, for example because the disk is
  ///   full.
  static func write(_ text: String) throws(OutputFile.Failure) { try write(Array(text.utf8)) }

  /// Writes results to standard output.
  ///
  /// - Parameter bytes: The text in UTF-8.
  /// - Throws: `OutputFile.Failure` if the bytes cannot be written, for example because the disk is
  ///   full.
  static func write(_ bytes: [UInt8]) throws(OutputFile.Failure) {
    guard CompleteWrite.write(bytes, to: STDOUT_FILENO) else {
      throw OutputFile.Failure(
        description: "cannot write the results: \(String(cString: strerror(errno)))")
    }
  }

  /// Writes a line to standard error and ignores failures.
  static func say(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }

  /// Overwrites the current line of standard error.
  static func overwriteLine(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(("\r" + text + "\u{1B}[K").utf8))
  }
}
