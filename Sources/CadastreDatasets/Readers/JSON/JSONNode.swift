/// A value in a JSON text, or the name of a member.
///
/// A text is a flat list of nodes in the order of the text. The nodes of an array or an object
/// follow its own node; those of an object are pairs of a string node, the name, and the node of
/// the value.
package struct JSONNode: Hashable, Sendable {
  /// The kind of a value.
  package enum Kind: UInt8, Hashable, Sendable {
    /// A number without fraction and exponent is an `integer`, with any number of digits.
    case null, `false`, `true`, integer, number, string, array, object

    /// Whether the value is a number.
    var isNumber: Bool { self == .integer || self == .number }
  }

  /// The kind of the value.
  package var kind: Kind
  /// Whether a string contains escapes that are not decoded yet.
  var hasEscapes = false
  /// The offset of the value in the bytes of its record; of a string, after the quote.
  package var start: UInt32
  /// The offset of the end of the value; of a string, of the end of the decoded text.
  package var end: UInt32
  /// The node after this one and its contents; while the node is open, the enclosing node.
  package var next: UInt32
}
