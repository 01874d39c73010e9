/// A text as a key: texts are equal if their bytes are.
///
/// `String.==` is canonical equivalence.
package struct TextKey: Hashable, Sendable {
  /// The text.
  package let text: String

  /// Creates the key of a text.
  package init(_ text: String) { self.text = text }

  /// Returns whether the bytes are equal.
  package static func == (first: TextKey, second: TextKey) -> Bool {
    first.text.hasSameBytes(as: second.text)
  }

  /// Hashes the bytes.
  package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension String {
  /// Returns whether two texts have the same bytes, which equal texts need not have.
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    var (first, second) = (self, other)
    return first.withUTF8 { first in
      second.withUTF8 { first.elementsEqual($0) }
    }
  }

  /// Hashes the bytes.
  package func hashBytes(into hasher: inout Hasher) {
    var text = self
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
