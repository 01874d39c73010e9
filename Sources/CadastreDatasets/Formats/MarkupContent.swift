/// Detection of XML and HTML, which are no tables.
enum MarkupContent {
  /// Finds the root element of XML or HTML.
  ///
  /// - Parameter content: The first bytes of a file.
  /// - Returns: The name of the element; nil for other content.
  static func rootElement(_ content: [UInt8]) -> String? {
    var text = String(decoding: content, as: UTF8.self)[...]
    if text.first == "\u{FEFF}" { text = text.dropFirst() }
    var isDeclared = false
    // Declarations and comments before the root element.
    while let match = text.prefixMatch(of: /\s*<(\?xml|\?|!--|!doctype)/.ignoresCase()) {
      isDeclared = true
      let isComment = match.1 == "!--"
      guard let end = text[match.range.upperBound...].firstRange(of: isComment ? "-->" : ">") else {
        return "unknown"
      }
      text = text[end.upperBound...]
    }
    guard let root = text.prefixMatch(of: /\s*<([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?\/?>\s*/) else {
      return isDeclared ? "unknown" : nil
    }
    // `<a>,<b>` is the header of a table.
    let next = text[root.range.upperBound...].first
    return isDeclared || next == nil || next == "<" ? String(root.1) : nil
  }
}
