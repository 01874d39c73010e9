/// The reason why a Realm file cannot be imported.
package struct RealmImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The message.
  package let description: String

  init(_ description: String) { self.description = description }
}
