/// An index of member names.
///
/// Objects in a file mostly have the same names in the same order, so a name is compared with those
/// after the last match before it is looked up in a dictionary.
struct JSONNameIndex {
  /// The names in the order of their addition.
  private(set) var names: [String] = []
  private var bytes: [[UInt8]] = []
  private var indexes: [[UInt8]: Int] = [:]
  private var next = 0

  /// Creates an empty index.
  init() {}

  /// Creates an index of distinct names.
  init(_ names: [String]) {
    for name in names { append(name) }
  }

  /// Adds a new name.
  mutating func append(_ name: String) {
    indexes[Array(name.utf8)] = names.count
    names.append(name)
    bytes.append(Array(name.utf8))
  }

  /// Restarts at the first name, for a new object.
  mutating func rewind() { next = 0 }

  /// Returns the index of the name in a node of a record; nil if it is unknown.
  mutating func index(_ record: JSONRecord, _ node: Int) -> Int? {
    let near = record.withText(node) { text in
      (next..<min(next + 8, bytes.count)).first { index in
        bytes[index].withUnsafeBufferPointer { ByteSearch.areEqual(text, $0) }
      }
    }
    guard let index = near ?? indexes[record.withText(node) { Array($0) }] else { return nil }
    next = index + 1
    return index
  }
}
