import Foundation

/// The arguments of a campaign: `--name value`.
struct Options {
  private var values: [String: String] = [:]

  /// - Throws: ``Failure`` for an argument that is no option.
  init(_ arguments: some Sequence<String>) throws {
    var name: String?
    for argument in arguments {
      if let known = name {
        values[known] = argument
        name = nil
      } else if argument.hasPrefix("--") {
        name = String(argument.dropFirst(2))
      } else {
        throw Failure("expected an option in place of '\(argument)'")
      }
    }
    if let name { throw Failure("option --\(name) has no value") }
  }

  /// The text of an option; nil where it is missing.
  subscript(_ name: String) -> String? { values[name] }

  /// - Throws: ``Failure`` where the option is no number.
  func number(_ name: String, default value: Int) throws -> Int {
    guard let text = values[name] else { return value }
    guard let number = Int(text), number >= 0 else {
      throw Failure("option --\(name) is '\(text)', expected a number")
    }
    return number
  }

  /// The seed of all random choices.
  func seed() throws -> UInt64 { UInt64(try number("seed", default: .random(in: 1...999_999))) }
}
