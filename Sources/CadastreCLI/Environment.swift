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

  /// How many seconds a database may be silent: at least one, at most a day.
  static let timeouts = 1...86_400

  /// The seconds of `CADASTRE_TIMEOUT`; nil if it is not set or no such number.
  static var timeout: Int? {
    values["CADASTRE_TIMEOUT"].flatMap(Int.init).flatMap { timeouts.contains($0) ? $0 : nil }
  }

  /// The value of `CADASTRE_TIMEOUT` if it is no number of seconds that a database may be silent.
  static var invalidTimeout: String? {
    values["CADASTRE_TIMEOUT"].flatMap { $0.isEmpty || timeout != nil ? nil : $0 }
  }

  /// Returns the default format of a command.
  static func format<Format: RawRepresentable<String>>(_ table: Format) -> Format {
    values["CADASTRE_FORMAT"].flatMap(Format.init) ?? table
  }
}
