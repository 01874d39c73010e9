/// A start tag.
struct XMLTag {
  /// The name with its prefix, for example `gx:Track`.
  var name: String
  /// The line of the tag, from 1.
  var line: Int
  /// The attributes in their order, with different names.
  var attributes: [(name: String, value: String)] = []

  /// The name without its prefix.
  var localName: Substring { XMLTag.localName(of: name) }

  /// Returns the value of the attribute with a name; nil if there is none.
  subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

  private static func localName(of name: String) -> Substring {
    name.lastIndex(of: ":").map { name[name.index(after: $0)...] } ?? name[...]
  }
}

/// An element with its descendants.
struct XMLElement {
  /// The start tag.
  let tag: XMLTag
  /// The text of the element, without that of its children.
  var text = ""
  /// The children in their order.
  var children: [XMLElement] = []

  init(_ tag: XMLTag) { self.tag = tag }

  /// The name without its prefix.
  var name: Substring { tag.localName }

  /// The text without blanks at its ends.
  var trimmedText: String {
    String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }

  /// Returns the first child with a name; nil if there is none.
  func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// Returns the children with a name.
  func children(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }
}
