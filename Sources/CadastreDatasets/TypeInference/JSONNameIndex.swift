/// The names of the members of objects that are much alike, by number.
///
/// Objects of one file mostly have the same names in the same order, so the next one is looked for
/// behind the last one found before it is looked up.
struct JSONNameIndex {
  private(set) var names: [String] = []
  private var bytes: [[UInt8]] = []
  private var indexes: [[UInt8]: Int] = [:]
  private var next = 0

  /// No names yet.
  init() {}

  /// The given names, all different.
  init(_ names: [String]) {
    for name in names { append(name) }
  }

  /// Adds a name that is not there.
  mutating func append(_ name: String) {
    indexes[Array(name.utf8)] = names.count
    names.append(name)
    bytes.append(Array(name.utf8))
  }

  /// Begins with the first name again.
  mutating func rewind() { next = 0 }

  /// The number of a name, which is a node of a record; nil where it is none of these.
  mutating func index(_ record: JSONRecord, _ node: Int) -> Int? {
    let near = record.withText(node) { text in
      (next..<min(next + 8, bytes.count)).first { text.elementsEqual(bytes[$0]) }
    }
    guard let found = near ?? indexes[record.withText(node) { Array($0) }] else { return nil }
    next = found + 1
    return found
  }
}
