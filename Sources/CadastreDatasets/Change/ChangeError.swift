/// The reason why a change of a store is not possible.
package struct ChangeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The message.
  package let description: String

  init(_ description: String) { self.description = description }
}
