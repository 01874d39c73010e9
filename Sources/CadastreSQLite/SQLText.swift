/// The text of a statement that is run often.
///
/// A connection finds the statement of such a text by the identity of this object, without hashing the
/// text. Where two objects have the same text, each has a statement of its own.
package final class SQLText: Sendable {
  /// The SQL text, with placeholders.
  package let text: String

  /// Keeps a text.
  package init(_ text: String) { self.text = text }
}
