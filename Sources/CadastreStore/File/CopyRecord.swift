import CadastreModel
import CadastreSQLite
package import Foundation

/// A record about the copy of a class in another database, with data of the program that makes the copy.
///
/// Records are not part of a version: writing them notifies no observer and invalidates no cached data. They
/// are removed with their class.
package struct CopyRecord: Sendable {
  /// The class.
  package let className: String
  /// The name of the copy.
  package let name: String
  /// The data; nil to remove the record.
  package let content: Data?

  /// Creates a record.
  package init(className: String, name: String, content: Data?) {
    self.className = className
    self.name = name
    self.content = content
  }
}

extension StoreReader {
  /// Returns the record of a copy of a class; nil if there is none.
  package func copyRecord(_ className: String, _ name: String) throws(StoreError) -> Data? {
    guard try connection.hasTable("cadastre_copy") else { return nil }
    let statement = try connection.statement(
      "SELECT content FROM cadastre_copy WHERE class = ? AND name = ?")
    try statement.bind(.string(className), at: 1)
    try statement.bind(.string(name), at: 2)
    defer { statement.reset() }
    guard try statement.step(), case .data(let content) = statement.value(0, as: .data) else {
      return nil
    }
    return content
  }
}

extension StoreFile {
  /// Writes records in one transaction.
  ///
  /// - Parameters:
  ///   - records: The records.
  ///   - timeout: How long to wait for the write lock.
  /// - Throws: ``StoreError``; no record is changed then.
  func keepCopyRecords(
    _ records: [CopyRecord], timeout: Duration = writeTimeout
  ) throws(StoreError) {
    try lockWriter(timeout) { (connection) throws(StoreError) in
      try connection.inWriteTransaction { () throws(StoreError) in try connection.keep(records) }
    }
    releaseWriter()
  }
}

extension Snapshot {
  /// Writes records of copies to the store without a new version.
  ///
  /// - Parameter records: The records.
  /// - Throws: ``StoreError``; no record is changed then.
  package func keepCopyRecords(_ records: [CopyRecord]) throws(StoreError) {
    try file.keepCopyRecords(records)
  }
}

extension WriteTransaction {
  /// Writes records of copies with the changes of the transaction; a transaction of records alone makes no
  /// version.
  ///
  /// - Parameter records: The records.
  /// - Throws: ``StoreError``.
  package func keepCopyRecords(_ records: [CopyRecord]) throws(StoreError) {
    try write { flushed throws(StoreError) in try flushed.connection.keep(records) }
  }
}

extension Connection {
  /// The number of most recent records of a class that stay; older ones are removed, because databases are
  /// dropped without notice.
  private static let keptCopyRecords: Int64 = 8

  fileprivate func keep(_ records: [CopyRecord]) throws(StoreError) {
    if try !hasTable("cadastre_copy") {
      try run(
        "CREATE TABLE cadastre_copy(class TEXT, name TEXT, content BLOB, PRIMARY KEY (class, name))"
      )
    }
    for record in records {
      let (className, name) = (Value.string(record.className), Value.string(record.name))
      guard let content = record.content else {
        try run("DELETE FROM cadastre_copy WHERE class = ? AND name = ?", className, name)
        continue
      }
      try run(
        "INSERT OR REPLACE INTO cadastre_copy VALUES (?, ?, ?)", className, name, .data(content))
      try run(
        """
        DELETE FROM cadastre_copy WHERE class = ?1 AND rowid NOT IN
          (SELECT rowid FROM cadastre_copy WHERE class = ?1 ORDER BY rowid DESC LIMIT ?2)
        """, className, .int(Self.keptCopyRecords))
    }
  }

  /// Removes the records of the copies of a class.
  func removeCopyRecords(of className: String) throws(StoreError) {
    guard try hasTable("cadastre_copy") else { return }
    try run("DELETE FROM cadastre_copy WHERE class = ?", .string(className))
  }
}
