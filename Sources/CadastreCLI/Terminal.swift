import CadastreDatasets
import Foundation

/// Where text goes.
enum Terminal {
  /// The columns of the terminal on standard output; nil when that is no terminal.
  static var width: Int? { width(of: STDOUT_FILENO) }

  /// The columns of the terminal on standard error; nil when that is no terminal.
  static var errorWidth: Int? { width(of: STDERR_FILENO) }

  private static func width(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) != 0 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Whether standard output shows what is bold: it is a terminal, and nobody has asked for plain text.
  ///
  /// Source: no-color.org.
  static var isStyled: Bool {
    let environment = ProcessInfo.processInfo.environment
    return width != nil && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  /// Writes results.
  ///
  /// - Throws: `OutputFile.Failure`, on a full disk for instance.
  static func write(_ text: String) throws(OutputFile.Failure) { try write(Array(text.utf8)) }

  /// Writes results that are text already.
  ///
  /// - Throws: `OutputFile.Failure`, on a full disk for instance.
  static func write(_ bytes: [UInt8]) throws(OutputFile.Failure) {
    guard WholeWrite.write(bytes, to: STDOUT_FILENO) else {
      throw OutputFile.Failure(
        description: "cannot write the results: \(String(cString: strerror(errno)))")
    }
  }

  /// Writes talk; where nobody can listen, it is lost.
  static func say(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }

  /// Writes over the last line of talk.
  static func sayOver(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(("\r" + text + "\u{1B}[K").utf8))
  }
}
