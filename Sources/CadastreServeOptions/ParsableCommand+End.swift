package import ArgumentParser
import CadastreFormatting
import Foundation

extension ParsableCommand {
  /// Ends the program as `exit(withError:)` does; an error is printed as by ``printableMessage(_:)``.
  ///
  /// - Parameter error: An error, a status, or a request for the help.
  package static func end(withError error: any Error) -> Never {
    let status = exitCode(for: error)
    if status.isSuccess { exit(withError: error) }
    let message = fullMessage(for: error)
    if !message.isEmpty {
      let line = printableMessage(message) + "\n"
      try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
    Foundation.exit(status.rawValue)
  }
}
