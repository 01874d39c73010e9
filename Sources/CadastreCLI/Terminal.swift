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

  /// Writes results.
  ///
  /// - Throws: `OutputFile.Failure`, on a full disk for instance.
  static func write(_ text: String) throws(OutputFile.Failure) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
      throw OutputFile.Failure(
        description: "cannot write the results: \(error.localizedDescription)")
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
