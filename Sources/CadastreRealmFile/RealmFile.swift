import CadastreModel
import CadastreSQLite
import Foundation

/// A Realm file, opened for reading.
///
///     let file = try RealmFile(path: "app.realm")
///     for table in file.tables { print(table.name, try file.objects(of: table).count) }
///
/// The file is never written. If another program writes to the file while it is open, reading throws an
/// error.
package final class RealmFile: Sendable {
  /// The path of the file.
  package let path: String
  /// The file format; 0 if nothing was ever committed.
  package let format: Int
  /// The tables that can be read, in the order of the file, internal ones included.
  package let tables: [RealmFileTable]
  /// The tables that cannot be read, and why.
  package let damagedTables: [(name: String, error: RealmFileError)]
  /// The version of the schema; nil if the file has none.
  package let schemaVersion: UInt64?

  /// The size of the content in bytes.
  package var byteCount: Int { context.space.limit }

  let context: FileContext

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - key: The 64 bytes of the key of an encrypted file.
  /// - Throws: ``RealmFileError`` if the file cannot be read or contains no readable tables.
  package convenience init(path: String, key: [UInt8]? = nil) throws(RealmFileError) {
    let file = try FileImage(mapping: path)
    let isPlain = FileHeader.isPresent(file.bytes)
    if isPlain, key != nil { throw RealmFileError(path, .notEncrypted) }
    guard !isPlain else {
      try self.init(path, file)
      return
    }
    guard EncryptedPages.isPossible(file.bytes) else { throw RealmFileError(path, .notARealmFile) }
    guard let key else { throw RealmFileError(path, .keyNeeded) }
    let plain = try EncryptedPages(file.bytes, key: key, path: path).decrypted()
    try file.requireUnchanged(path)
    guard FileHeader.isPresent(plain.bytes) else { throw RealmFileError(path, .notARealmFile) }
    try self.init(path, plain)
  }

  /// Returns whether a path names an unencrypted Realm file, of any format.
  package static func isRealmFile(_ path: String) -> Bool {
    var status = stat()
    // Opening a pipe would wait for its writer.
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    let descriptor = DatabaseFiles.open(path)
    guard descriptor >= 0 else { return false }
    defer { DatabaseFiles.close(descriptor) }
    return withUnsafeTemporaryAllocation(byteCount: NodeSpace.headerSize, alignment: 1) { header in
      guard pread(descriptor, header.baseAddress, header.count, 0) == header.count else {
        return false
      }
      return FileHeader.isPresent(UnsafeRawBufferPointer(header))
    }
  }

  /// Reads the tables of an unencrypted file.
  init(_ path: String, _ file: FileImage) throws(RealmFileError) {
    self.path = path
    let header = try FileHeader(file.bytes, path: path)
    format = header.format
    var space = NodeSpace(file: file, limit: header.limit)
    let group: Group
    do throws(Damage) {
      group = try Group(header.top, &space)
    } catch {
      throw RealmFileError(path, part: nil, error)
    }
    if let end = group.missingEnd {
      throw RealmFileError(path, .truncated(bytes: file.bytes.count, expected: end))
    }
    let reader = TableReader(space, group.tables)
    var tables: [RealmFileTable] = []
    var damaged = group.damaged.map {
      (name: $0.name, error: RealmFileError(path, part: "table '\($0.name)'", $0.damage))
    }
    for case let table? in group.tables {
      do throws(Damage) {
        tables.append(try reader.table(table.name, key: table.key, table.top))
      } catch {
        damaged.append((table.name, RealmFileError(path, part: "table '\(table.name)'", error)))
      }
    }
    self.tables = tables
    damagedTables = damaged
    context = FileContext(
      space, format: header.format, tables: group.tables.map { $0.map { ($0.key, $0.name) } })
    schemaVersion = try Self.schemaVersion(path, tables, context)
  }

  /// Checks the structure of all objects of a table and returns them.
  ///
  /// - Throws: ``RealmFileError`` if the structure is damaged.
  /// - Complexity: O(n) in the number of objects, without reading their values.
  package func objects(of table: RealmFileTable) throws(RealmFileError) -> RealmFileObjects {
    try RealmFileObjects(table, context, path)
  }

  /// Returns a new pass over objects of the file, in which each value can be read once.
  ///
  /// - Throws: ``RealmFileError`` if there is not enough memory.
  package func pass() throws(RealmFileError) -> RealmFilePass { try RealmFilePass(context, path) }

  /// Checks that no program wrote to the file since it was opened.
  ///
  /// - Throws: ``RealmFileError`` if one did, because values that were read may be of several versions.
  package func requireUnchanged() throws(RealmFileError) {
    try context.space.file.requireUnchanged(path)
  }

  private static func schemaVersion(
    _ path: String, _ tables: [RealmFileTable], _ context: FileContext
  ) throws(RealmFileError) -> UInt64? {
    guard let table = tables.first(where: { $0.name == "metadata" }),
      let column = table.columns.firstIndex(where: { $0.name == "version" && $0.type == .int })
    else { return nil }
    let objects = try RealmFileObjects(table, context, path)
    guard objects.count > 0 else { return nil }
    let value = try objects.cluster(0).value(0, column, try RealmFilePass(context, path))
    guard case .int(let version) = value, version != -1 else { return nil }
    return UInt64(bitPattern: version)
  }
}

/// The context of reading values: the nodes, the format and the tables of a file.
final class FileContext: Sendable {
  /// The nodes of the file.
  let space: NodeSpace
  /// The file format.
  let format: Int
  /// The keys and names of the tables, by the index in the key.
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
