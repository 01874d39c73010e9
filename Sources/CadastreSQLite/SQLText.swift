/// The text of a statement that is run often.
///
/// A connection finds the statement by the identity of this object, without hashing the text. Objects with
/// the same text share a statement.
package final class SQLText: Sendable {
  /// The SQL text, with placeholders.
  package let text: String

  /// Keeps a text.
  package init(_ text: String) { self.text = text }
}
