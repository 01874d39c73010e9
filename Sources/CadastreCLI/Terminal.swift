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
  static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

  /// Writes talk.
  static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

  /// Writes over the last line of talk.
  static func sayOver(_ text: String) {
    FileHandle.standardError.write(Data(("\r" + text + "\u{1B}[K").utf8))
  }
}
