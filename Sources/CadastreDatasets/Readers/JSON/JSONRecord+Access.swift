extension JSONRecord {
  /// Calls a closure with the bytes of a number, a word or a string.
  ///
  /// The bytes of a string are decoded and valid UTF-8. The bytes of a number are those of the
  /// file.
  ///
  /// - Parameters:
  ///   - node: The index of the node.
  ///   - body: The closure; the bytes are valid only during the call.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  package func withText<Result, Failure: Error>(
    _ node: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let node = self[node]
    return try bytes.withUnsafeBufferPointer { all throws(Failure) in
      try body(UnsafeBufferPointer(rebasing: all[Int(node.start)..<Int(node.end)]))
    }
  }

  /// Returns the text of a number, a word or a string.
  package func text(_ node: Int) -> String {
    withText(node) { String(decoding: $0, as: UTF8.self) }
  }

  /// The complete text, for the list of rejected records; invalid bytes become U+FFFD.
  package var text: String { String(decoding: bytes[..<byteCount], as: UTF8.self) }

  /// Returns the members of an object, as nodes of names and values; none for other nodes.
  package func members(of node: Int) -> Members {
    Members(children: children(of: node, .object))
  }

  /// Returns the elements of an array, as nodes; none for other nodes.
  package func elements(of node: Int) -> Children { children(of: node, .array) }

  /// Returns the node of the value of a member; nil if there is none or the node is no object.
  ///
  /// - Parameters:
  ///   - name: The name of the member.
  ///   - node: The node of the object.
  /// - Returns: The node of the value.
  /// - Complexity: O(n) in the number of members.
  package func member(_ name: String, of node: Int) -> Int? {
    guard self[node].kind == .object else { return nil }
    var name = name
    return name.withUTF8 { name in
      bytes.withUnsafeBufferPointer { bytes in
        nodes.withUnsafeBufferPointer { nodes in
          let end = Int(nodes[node].next)
          var at = node + 1
          while at < end {
            let (text, value) = (nodes[at], Int(nodes[at].next))
            let range = Int(text.start)..<Int(text.end)
            if range.count == name.count,
              ByteSearch.areEqual(UnsafeBufferPointer(rebasing: bytes[range]), name)
            {
              return value
            }
            at = Int(nodes[value].next)
          }
          return nil
        }
      }
    }
  }

  private func children(of node: Int, _ kind: JSONNode.Kind) -> Children {
    let parent = self[node]
    let isOpen = parent.kind == kind
    return Children(nodes: nodes, at: node + 1, end: isOpen ? Int(parent.next) : node + 1)
  }

  /// A sequence of sibling nodes.
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

  /// A sequence of members, as nodes of names and values.
  package struct Members: Sequence, IteratorProtocol {
    fileprivate var children: Children

    package mutating func next() -> (name: Int, value: Int)? {
      guard let name = children.next(), let value = children.next() else { return nil }
      return (name, value)
    }
  }
}

extension JSONRecord {
  /// Returns coordinates of the geometry in degrees; nil if they have no counterpart in WGS 84.
  func degrees(_ x: Double, _ y: Double) -> (longitude: Double, latitude: Double)? {
    guard let transformation else { return (x, y) }
    return transformation.degrees(x, y)
  }
}
