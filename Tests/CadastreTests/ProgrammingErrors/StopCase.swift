import Cadastre
import Foundation
import Testing

/// A mistake of a program, and the sentence of `ProgrammingErrors.md` that it prints.
struct StopCase: CustomTestStringConvertible, Sendable {
  /// The sentence as on the page, with an ellipsis for each name or value.
  let sentence: String
  /// Makes the mistake; the process stops.
  let mistake: @Sendable () async throws -> Void
  var testDescription: String { sentence }

  init(_ sentence: String, _ mistake: @escaping @Sendable () async throws -> Void) {
    self.sentence = sentence
    self.mistake = mistake
  }

  /// The cases under each heading of the page.
  static let sections: KeyValuePairs<String, [StopCase]> = [
    "Collections": collections,
    "Migrations": migrations,
    "Notifications": notifications,
    "Objects and their properties": objects,
    "Projections and mapped types": projections,
    "Conditions and key paths": conditions,
    "Realms and transactions": realms,
    "Results": results,
    "Classes": classes,
    "Threads, tasks and actors": threads,
  ]

  /// Whether a message contains the parts of the sentence between ellipses, in their order.
  func matches(_ message: String) -> Bool {
    var rest = Substring(message.replacing("\n", with: " "))
    // An ellipsis in `realm.write { … }` is part of the sentence itself.
    for part in sentence.split(separator: "…") {
      guard let range = rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }
}
