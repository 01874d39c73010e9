import ArgumentParser
import CadastreStore
import Foundation

/// The settings in environment variables.
enum Environment {
  private static let values = ProcessInfo.processInfo.environment

  /// Whether `CADASTRE_QUIET` suppresses messages and progress.
  static var isQuiet: Bool { !["", "0"].contains(values["CADASTRE_QUIET", default: ""]) }

  /// The values of `CADASTRE_FORMAT`, which all commands that print objects or lines support.
  private static let formats: Set = ["table", "csv", "json", "ndjson"]

  /// The value of `CADASTRE_FORMAT` if it is invalid; nil otherwise.
  static var invalidFormat: String? {
    values["CADASTRE_FORMAT"].flatMap { $0.isEmpty || formats.contains($0) ? nil : $0 }
  }

  /// The timeouts of a database that may be set, in seconds: from one to a day.
  static let timeouts = 1...86_400

  /// The timeout in `CADASTRE_TIMEOUT`, in seconds; nil if the variable is not set or invalid.
  static var timeout: Int? {
    values["CADASTRE_TIMEOUT"].flatMap(Int.init).flatMap { timeouts.contains($0) ? $0 : nil }
  }

  /// The value of `CADASTRE_TIMEOUT` if it is invalid; nil otherwise.
  static var invalidTimeout: String? {
    values["CADASTRE_TIMEOUT"].flatMap { $0.isEmpty || timeout != nil ? nil : $0 }
  }

  /// The sizes of the records of changes that may be set, in megabytes.
  static let historyMegabytes = 0...1_000

  /// The maximum size of the records of a store's changes in bytes.
  static var historyBytes: Int {
    values["CADASTRE_HISTORY"].flatMap(Int.init).map { $0 << 20 } ?? StoreHistory.defaultLimit
  }

  /// The value of `CADASTRE_HISTORY` if it is invalid; nil otherwise.
  static var invalidHistory: String? {
    values["CADASTRE_HISTORY"].flatMap { text in
      text.isEmpty || Int(text).map(historyMegabytes.contains) == true ? nil : text
    }
  }

  /// Returns the format in `CADASTRE_FORMAT`, or another one if the variable is not set.
  static func format<Format: RawRepresentable<String>>(_ fallback: Format) -> Format {
    values["CADASTRE_FORMAT"].flatMap(Format.init) ?? fallback
  }
}
