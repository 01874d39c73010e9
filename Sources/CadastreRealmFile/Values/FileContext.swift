/// What the reader of a value needs to know of its file.
final class FileContext: Sendable {
  /// The bytes of the file.
  let space: NodeSpace
  /// The file format.
  let format: Int
  /// The names of the tables by the index in their keys, with the keys.
  private let tables: [(key: Int, name: String)?]

  init(_ space: NodeSpace, format: Int, tables: [(key: Int, name: String)?]) {
    self.space = space
    self.format = format
    self.tables = tables
  }

  /// Returns the name of the table with a key; nil if there is none.
  func table(key: Int) -> String? {
    let index = key & 0xFFFF
    guard tables.indices.contains(index), let table = tables[index], table.key == key else {
      return nil
    }
    return table.name
  }
}
