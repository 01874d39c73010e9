/// The part of a file that contains nodes.
struct NodeSpace: Sendable {
  /// The owner of the bytes.
  let file: FileBytes
  /// The offset after the last byte that a node may use.
  var limit: Int

  /// The size of the file header, before which there is no node.
  static let headerSize = 24

  /// Returns the node at an offset, with its header checked.
  ///
  /// - Throws: ``Damage`` if the offset or the length of the node is out of bounds.
  func node(_ reference: UInt64, from source: Int) throws(Damage) -> Node {
    guard reference & 7 == 0, reference >= UInt64(Self.headerSize),
      reference <= UInt64(limit), limit - Int(reference) >= 8
    else {
      throw Damage(
        source, "found the reference \(reference); expected a multiple of 8 from 24 to \(limit - 8)"
      )
    }
    let offset = Int(reference)
    let bytes = file.bytes
    let flags = bytes[offset + 4]
    let count = Int(bytes[offset + 5]) << 16 | Int(bytes[offset + 6]) << 8 | Int(bytes[offset + 7])
    guard let layout = Node.Layout(flags: flags) else {
      throw Damage(offset, "found a node of an unknown layout")
    }
    let width = Node.width(flags)
    let length =
      switch layout {
      case .bits: (count * width + 7) / 8
      case .bytes: count * width
      case .blob: count
      }
    guard length <= limit - offset - 8 else {
      throw Damage(offset, "found a node of \(length) bytes; there are \(limit - offset - 8)")
    }
    return Node(
      offset: offset, flags: flags, count: count,
      payload: UnsafeRawBufferPointer(rebasing: bytes[(offset + 8)..<(offset + 8 + length)]))
  }

  // MARK: Elements of arrays of references

  /// Returns the node to which an element refers; nil for 0.
  ///
  /// - Throws: ``Damage`` if the element is a number, or the node is out of bounds.
  func optionalNode(_ parent: Node, _ index: Int) throws(Damage) -> Node? {
    guard parent.hasReferences else {
      throw Damage(parent.offset, "expected an array of references")
    }
    let element = UInt64(bitPattern: try parent.integer(index))
    guard element != 0 else { return nil }
    return try node(element, from: parent.offset)
  }

  /// Returns the node to which an element refers.
  ///
  /// - Throws: ``Damage`` if the element is no reference, or the node is out of bounds.
  func node(_ parent: Node, _ index: Int) throws(Damage) -> Node {
    guard let node = try optionalNode(parent, index) else {
      throw Damage(parent.offset, "element \(index) is empty; expected a reference")
    }
    return node
  }
}

extension Node {
  /// Returns the number that is stored in an element of an array of references; nil for 0 and
  /// references.
  ///
  /// - Throws: ``Damage`` if there is no such element.
  func number(_ index: Int) throws(Damage) -> UInt64? {
    let element = UInt64(bitPattern: try integer(index))
    return element & 1 == 1 ? element >> 1 : nil
  }
}
