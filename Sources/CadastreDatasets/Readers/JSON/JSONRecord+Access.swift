extension JSONRecord {
  /// Hands over the bytes of a number, a word or a string; they live as long as the call.
  ///
  /// A string's are unescaped and valid UTF-8; a number's are as they are written, so that
  /// `FieldParsing` reads them.
  ///
  /// - Parameters:
  ///   - node: The node, counted from 0.
  ///   - body: Reads the bytes.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  package func withText<Result, Failure: Error>(
    _ node: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let place = self[node]
    return try bytes.withUnsafeBufferPointer { all throws(Failure) in
      try body(UnsafeBufferPointer(rebasing: all[Int(place.start)..<Int(place.end)]))
    }
  }

  /// The text of a number, a word or a string.
  package func text(_ node: Int) -> String {
    withText(node) { String(decoding: $0, as: UTF8.self) }
  }

  /// The whole text, for the list of rejected records; what is not UTF-8 shows as U+FFFD.
  package var text: String { String(decoding: bytes[..<byteCount], as: UTF8.self) }

  /// The members of an object, as nodes of names and values; none for other nodes.
  package func members(of node: Int) -> Members {
    Members(children: children(of: node, .object))
  }

  /// The elements of an array, as nodes; none for other nodes.
  package func elements(of node: Int) -> Children { children(of: node, .array) }

  /// The value of a member of an object, as a node; nil if there is none, or no object.
  ///
  /// - Complexity: O(n) in the members of the object.
  package func member(_ name: String, of node: Int) -> Int? {
    var name = name
    return name.withUTF8 { wanted in
      for member in members(of: node) {
        let found = nodes[member.name]
        guard Int(found.end - found.start) == wanted.count else { continue }
        if withText(member.name, { $0.elementsEqual(wanted) }) { return member.value }
      }
      return nil
    }
  }

  private func children(of node: Int, _ kind: JSONNode.Kind) -> Children {
    let parent = self[node]
    let isOpen = parent.kind == kind
    return Children(nodes: nodes, at: node + 1, end: isOpen ? Int(parent.next) : node + 1)
  }

  /// Nodes next to each other, each passed with all that is inside it.
  package struct Children: Sequence, IteratorProtocol {
    fileprivate let nodes: [JSONNode]
    fileprivate var at: Int
    fileprivate let end: Int

    package mutating func next() -> Int? {
      guard at < end else { return nil }
      defer { at = Int(nodes[at].next) }
      return at
    }
  }

  /// Names and values, as pairs of nodes.
  package struct Members: Sequence, IteratorProtocol {
    fileprivate var children: Children

    package mutating func next() -> (name: Int, value: Int)? {
      guard let name = children.next(), let value = children.next() else { return nil }
      return (name, value)
    }
  }
}
