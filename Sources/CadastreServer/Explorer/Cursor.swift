/// Where a page of results ends: the key of its last object, and the number of objects up to it.
struct Cursor {
  private let key: Int64
  private let count: Int

  /// A cursor after an object.
  init(after key: Int64, at count: Int) { (self.key, self.count) = (key, count) }

  /// Reads a cursor that an earlier response contained.
  ///
  /// - Throws: ``RequestError`` for other text.
  init(_ text: String) throws(RequestError) {
    let parts = text.split(separator: ".").map(String.init)
    guard parts.count == 2, let key = Int64(parts[0]), let count = Int(parts[1]), count >= 0 else {
      throw .parameter("'cursor': expected the text of an earlier response, found '\(text)'")
    }
    self.init(after: key, at: count)
  }

  /// The cursor as text.
  var text: String { "\(key).\(count)" }

  /// The index of the next object in a list of keys.
  ///
  /// Where objects were added or removed since, the next object is that after the last one; where that was
  /// removed itself, the page begins after as many objects as were seen.
  ///
  /// - Complexity: O(n) where the list has changed, else O(1).
  func index(in keys: [Int64]) -> Int {
    if keys.indices.contains(count - 1), keys[count - 1] == key { return count }
    return keys.firstIndex(of: key).map { $0 + 1 } ?? min(count, keys.count)
  }
}
