extension JSONRecord {
  /// Returns a value as JSON.
  ///
  /// - Parameter node: The node of the value.
  /// - Returns: The text, without blanks between its tokens.
  /// - Complexity: O(n) in the nodes of the value; recursive, up to the maximum nesting of the reader.
  func json(_ node: Int) -> OutputText {
    var text = OutputText()
    append(node, to: &text)
    return text
  }

  private func append(_ node: Int, to text: inout OutputText) {
    switch self[node].kind {
    case .null, .true, .false, .integer, .number: text.append(self.text(node))
    case .string: text.appendQuoted(self.text(node))
    case .array: text.appendList(elements(of: node), ("[", "]")) { append($1, to: &$0) }
    case .object:
      text.appendList(members(of: node), ("{", "}")) { text, member in
        text.appendQuoted(self.text(member.name))
        text.append(":")
        append(member.value, to: &text)
      }
    }
  }
}
