/// One value inside a JSON text, or the name of a member.
///
/// A text is a flat list of nodes in the order in which they are written. The nodes inside an
/// array or an object follow it; an object's are pairs, a string node (the name) and the node of
/// the value.
package struct JSONNode: Hashable, Sendable {
  /// What a value is.
  package enum Kind: UInt8, Hashable, Sendable {
    /// A number with neither fraction nor exponent is an `integer`, however many digits it has.
    case null, `false`, `true`, integer, number, string, array, object
  }

  /// What the value is.
  package var kind: Kind
  /// Whether a string still holds escapes, to be taken out.
  var hasEscapes = false
  /// Where the value begins in the bytes of its record; of a string, behind the quote.
  package var start: UInt32
  /// Where the value ends; of a string, before the quote, once escapes are taken out.
  package var end: UInt32
  /// The node behind this one and all that is inside it; while it is open, the one around it.
  package var next: UInt32
}
