public import CadastreModel

/// An error of a predicate: its text cannot be parsed, or it does not fit the schema.
///
///     Property 'elevaton' not found in object of type 'Airport'; did you mean 'elevation'?
///       elevaton > 300
///       ^^^^^^^^
public struct QueryPredicateError: Error, Hashable, Sendable {
  /// The kind of error.
  public enum Kind: String, Hashable, Sendable {
    /// The text cannot be read as a predicate.
    case syntax
    /// The predicate does not fit the schema.
    case invalidQuery
    /// An argument is missing, or of the wrong type, or not a valid region.
    case invalidArgument
    /// A key to sort by does not exist or has no order.
    case sort
  }

  /// The kind of error.
  public var kind: Kind
  /// The found and the expected input, as a sentence without a full stop.
  public var message: String
  /// Where in the text; nil when the predicate was not made from text.
  public var span: TextSpan?
  /// The whole text; nil when the predicate was not made from text.
  public var text: String?

  /// Describes a mistake.
  package init(_ kind: Kind, _ message: String, span: TextSpan? = nil, text: String? = nil) {
    self.kind = kind
    self.message = message
    self.span = span
    self.text = text
  }

  /// The same error, with the text in which it occurred.
  package func found(in text: String) -> QueryPredicateError {
    var copy = self
    copy.text = text
    return copy
  }
}

extension QueryPredicateError: CustomStringConvertible {
  /// The sentence; below it, if the text is known, its line with carets at the location.
  public var description: String {
    guard let text, let span else { return message }
    let (line, column) = Self.line(of: text, at: span.offset)
    let window = Self.window(line, around: column)
    let room = window.line.unicodeScalars.count - window.column
    let carets = String(repeating: "^", count: max(1, min(span.count, room)))
    let indent = String(repeating: " ", count: window.column)
    return "\(message)\n  \(window.line)\n  \(indent)\(carets)"
  }

  /// The line that contains an offset, and the column within it.
  private static func line(of text: String, at offset: Int) -> (String, Int) {
    let scalars = Array(text.unicodeScalars)
    let place = min(max(0, offset), scalars.count)
    let start = scalars[..<place].lastIndex(where: isNewline).map { $0 + 1 } ?? 0
    let end = scalars[place...].firstIndex(where: isNewline) ?? scalars.count
    var line = ""
    line.unicodeScalars.append(contentsOf: scalars[start..<end])
    return (line, place - start)
  }

  private static func isNewline(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\r"
  }

  /// At most 100 columns of a long line around the offset; unprintable characters as blanks.
  private static func window(_ line: String, around column: Int) -> (line: String, column: Int) {
    let visible = line.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }
    let width = 100
    let start = visible.count > width ? max(0, min(column - width / 2, visible.count - width)) : 0
    var shown = ""
    shown.unicodeScalars.append(contentsOf: visible[start..<min(visible.count, start + width)])
    return (shown, column - start)
  }
}
