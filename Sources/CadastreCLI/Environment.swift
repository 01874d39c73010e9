import ArgumentParser
import Foundation

/// The settings in environment variables.
enum Environment {
  private static let values = ProcessInfo.processInfo.environment

  /// Whether `CADASTRE_QUIET` asks for results and errors only.
  static var isQuiet: Bool { !["", "0"].contains(values["CADASTRE_QUIET", default: ""]) }

  /// The formats that `CADASTRE_FORMAT` may name; all commands that print objects or lines have them.
  private static let formats: Set = ["table", "csv", "json", "ndjson"]

  /// The value of `CADASTRE_FORMAT` if it names no format.
  static var invalidFormat: String? {
    values["CADASTRE_FORMAT"].flatMap { $0.isEmpty || formats.contains($0) ? nil : $0 }
  }

  /// Returns the default format of a command.
  static func format<Format: RawRepresentable<String>>(_ table: Format) -> Format {
    values["CADASTRE_FORMAT"].flatMap(Format.init) ?? table
  }
}
