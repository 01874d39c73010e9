import CadastreModel
import CadastreStore

/// The classes of a store with their numbers of objects and indexes, and the size of the store.
package struct StoreContents {
  /// An index of a class.
  package struct Index: Encodable {
    /// The kind of an index.
    package enum Kind: String, Encodable {
      case value, unique, spatial
      case text = "full text"
    }

    /// The property, as a key path; the properties of a compound index are separated by commas.
    package let path: String
    package let kind: Kind
  }

  /// A class with a table of its own.
  package struct Table: Encodable {
    package let name: String
    package let objects: Int
    /// The name of the table in the file.
    package let table: String
    package let indexes: [Index]

    init(_ layout: TableLayout, objects: Int) {
      name = layout.schema.className
      self.objects = objects
      table = layout.tableName
      indexes =
        layout.valueIndexes.map {
          Index(
            path: $0.paths.map(\.description).joined(separator: ", "),
            kind: $0.isUnique ? .unique : .value)
        }
        + layout.spatialIndexes.map { Index(path: $0.path.description, kind: .spatial) }
        + layout.textIndexes.map { Index(path: $0.path.description, kind: .text) }
    }
  }

  /// The size of a store in bytes.
  package struct Size {
    package let file: Int
    /// The size of the write-ahead log.
    package let log: Int
    /// The size of the pages in use; the others are free for new rows.
    package let used: Int

    /// The size of the file and its log.
    package var total: Int { file + log }

    init(_ size: StoreSize) {
      file = size.file
      log = size.log
      used = size.used
    }
  }

  package let size: Size
  /// The number of transactions since the store was made.
  package let commits: Int
  /// The most bytes of columns that this process keeps in memory.
  package let columnMemoryLimit: Int
  /// The bytes of columns that this process has in memory.
  package let columnMemory: Int
  package let classes: [Table]
}
