import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

@Suite struct OpeningTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func reason(_ path: String, mustExist: Bool = true) -> StoreError.Reason? {
    do {
      let file = try OpenStores.store(at: path, mustExist: mustExist)
      try file.prepare(for: Boats.schema)
      return nil
    } catch {
      return error.reason
    }
  }

  private func foreignDatabase(_ statements: String...) throws -> String {
    let path = folder.file("foreign.sqlite")
    let connection = try Connection(path: path, mode: .readWrite)
    for statement in statements { try connection.run(statement) }
    return path
  }

  @Test func `a missing file is an error, or is created`() {
    #expect(reason(folder.file("none.cadastre")) == .fileNotFound)
    #expect(reason(folder.file("none/none.cadastre"), mustExist: false) == .fileNotFound)
    #expect(reason(folder.file("new.cadastre"), mustExist: false) == nil)
    #expect(reason(folder.file("new.cadastre")) == nil)
  }

  /// Creates folders and returns the path of a file in them whose path has a number of bytes.
  private func path(bytes: Int, nameBytes: Int) throws -> String {
    // SQLite and the store resolve symbolic links.
    let root = try #require(realpath(folder.path, nil))
    defer { free(root) }
    var parent = String(cString: root)
    while parent.utf8.count < bytes - nameBytes - 1 {
      let missing = bytes - nameBytes - 1 - parent.utf8.count
      // A folder takes two bytes at least.
      let step = missing <= 200 ? missing : min(200, missing - 2)
      parent += "/" + String(repeating: "d", count: step - 1)
    }
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    return parent + "/" + String(repeating: "f", count: nameBytes)
  }

  // The error was "no permission to use …".
  @Test func `a path that is too long for SQLite is named so`() throws {
    let longest = try path(bytes: 504, nameBytes: 40)
    #expect(longest.utf8.count == 504 && reason(longest, mustExist: false) == nil)
    #expect(reason(longest) == nil)

    let tooLong = try path(bytes: 505, nameBytes: 41)
    #expect(reason(tooLong, mustExist: false) == .pathTooLong(bytes: 505, maximum: 504))
    #expect(reason(tooLong) == .pathTooLong(bytes: 505, maximum: 504))
    #expect(!FileManager.default.fileExists(atPath: tooLong + "-lock"))
    #expect(throws: StoreError(.pathTooLong(bytes: 505, maximum: 504), path: tooLong)) {
      try Connection(path: tooLong, mode: .readWrite)
    }

    // A link to a folder counts with the path of the folder.
    let link = folder.file("link")
    let parent = String(tooLong.dropLast(42))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: parent)
    #expect(
      reason(link + "/" + tooLong.suffix(41), mustExist: false)
        == .pathTooLong(bytes: 505, maximum: 504))
  }

  @Test func `a name that leaves no room for the names of side files is named so`() throws {
    let longest = folder.file(String(repeating: "n", count: 247))
    #expect(reason(longest, mustExist: false) == nil)
    #expect(reason(longest + "n", mustExist: false) == .nameTooLong(bytes: 248, maximum: 247))
  }

  @Test func `the path of a temporary file beside a new store can be too long`() throws {
    // `/cadastre-temporary-XXXXXX/store` has 32 bytes.
    let path = try path(bytes: 480, nameBytes: 1)
    let error = StoreError(.pathTooLong(bytes: 478 + 32, maximum: 504), path: path)

    #expect(throws: error) { _ = try NewStore.create(at: path) { _ in } }
    #expect(reason(path, mustExist: false) == nil)
  }

  @Test func `a folder is no store`() {
    #expect(reason(folder.path) == .isDirectory)
  }

  @Test func `an empty file becomes a store`() throws {
    try folder.write("empty.cadastre", [])

    #expect(reason(folder.file("empty.cadastre")) == .fileNotFound)
    #expect(reason(folder.file("empty.cadastre"), mustExist: false) == nil)
    #expect(reason(folder.file("empty.cadastre")) == nil)
  }

  @Test func `a text file is refused and not changed`() throws {
    for text in ["x", String(repeating: "name,age\n", count: 100), "SQLite format 3\0"] {
      try folder.write("people.csv", text.utf8)
      #expect(reason(folder.file("people.csv"), mustExist: false) == .notADatabase)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("people.csv")))
      #expect(bytes == Data(text.utf8))
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names == ["people.csv"])
  }

  @Test func `a database of another program is refused and not changed`() throws {
    let path = try foreignDatabase("CREATE TABLE t(a)", "INSERT INTO t VALUES (1)")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))

    #expect(reason(path) == .foreignDatabase)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `a store of a newer version is refused`() throws {
    let path = try foreignDatabase(
      "PRAGMA application_id = \(FileProbe.applicationIdentifier)", "PRAGMA user_version = 7",
      "CREATE TABLE t(a)")

    #expect(reason(path) == .newerFormat(found: 7, supported: 4))
    let error = #expect(throws: StoreError.self) { try OpenStores.store(at: path) }
    #expect(
      error?.description == "'\(path)' has format 7 of a newer version of Cadastre; this version "
        + "reads formats up to 4")
  }

  @Test func `a store without its catalogue is corrupt`() throws {
    let path = try foreignDatabase(
      "PRAGMA application_id = \(FileProbe.applicationIdentifier)",
      "PRAGMA user_version = \(FileProbe.formatVersion)",
      "CREATE TABLE t(a)")

    #expect(throws: StoreError.self) { try OpenStores.store(at: path).snapshot() }
    #expect(throws: StoreError.self) { try OpenStores.store(at: path).beginWrite() }
    #expect(throws: StoreError.self) { try OpenStores.store(at: path).beginWrite() }
  }

  @Test func `a file in a folder that cannot be written can be read`() throws {
    // The superuser has all permissions.
    guard getuid() != 0 else { return }
    let path = folder.file("sealed.cadastre")
    try { try OpenStores.store(at: path).prepare(for: Boats.schema) }()
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o755) }

    #expect(try OpenStores.store(at: path).snapshot().rowCount("Boat") == 0)
    #expect(throws: StoreError.self) { try OpenStores.store(at: path).beginWrite() }
  }

  // MARK: Schemas

  private func store(_ properties: Property..., isEmbedded: Bool = false) -> Schema {
    Schema([ObjectSchema(className: "A", properties: properties, isEmbedded: isEmbedded)])
  }

  private func differences(_ wanted: Schema) throws -> [String] {
    let path = folder.file("\(UUID().uuidString).cadastre")
    let file = try OpenStores.store(at: path)
    try file.prepare(
      for: store(
        Property(name: "id", type: .int, isPrimaryKey: true), Property(name: "name", type: .string),
        Property(name: "age", type: .int, isOptional: true)))
    let error = #expect(throws: StoreError.self) { try file.prepare(for: wanted) }
    guard case .schemaMismatch(let differences)? = error?.reason else { return [] }
    #expect(
      error?.description.hasPrefix("Migration is required due to the following errors in '") == true
    )
    return differences
  }

  @Test func `each difference that requires a migration is one sentence`() throws {
    let id = Property(name: "id", type: .int, isPrimaryKey: true)
    let name = Property(name: "name", type: .string)
    let age = Property(name: "age", type: .int, isOptional: true)

    #expect(
      try differences(store(id, name)) == [
        "Property 'A.age' has been removed. The file has 'int, optional', the program nothing."
      ])
    #expect(
      try differences(store(id, name, age, Property(name: "new", type: .int)))
        == ["Property 'A.new' has been added. The program has 'int', the file nothing."])
    #expect(
      try differences(store(id, Property(name: "name", type: .data), age))
        == ["Property 'A.name' has been changed from 'string' to 'data'."])
    #expect(
      try differences(store(id, name, Property(name: "age", type: .int)))
        == ["Property 'A.age' has been made required."])
    #expect(
      try differences(store(id, Property(name: "name", type: .string, isOptional: true), age))
        == ["Property 'A.name' has been made optional."])
    #expect(
      try differences(store(Property(name: "id", type: .int), name, age))
        == ["Primary key property 'A.id' has been removed."])
    #expect(
      try differences(store(id, Property(name: "name", columnName: "n", type: .string), age))
        == ["The column of property 'A.name' has been renamed from 'name' to 'n'."])
    #expect(
      try differences(store(Property(name: "id", type: .int), name, age, isEmbedded: true)).first
        == "Class 'A' has been made embedded.")
  }

  @Test func `indexes are added and removed without a migration`() throws {
    let file = try OpenStores.store(at: folder.file("indexes.cadastre"))
    let id = Property(name: "id", type: .int, isPrimaryKey: true)
    let plain = store(id, Property(name: "name", type: .string))
    let indexed = store(id, Property(name: "name", type: .string, isIndexed: true))
    try file.prepare(for: plain)
    try add(["id": .int(1), "name": .text("x")], to: "A", file)
    let old = try file.snapshot()
    for schema in [indexed, plain, indexed] {
      try file.prepare(for: schema)
      let snapshot = try file.snapshot()
      let layout = try snapshot.layout("A")
      let wanted = schema == indexed ? ["index_A.id", "index_A.name"] : ["index_A.id"]
      #expect(layout.valueIndexes.map(\.name) == wanted)
      #expect(
        try snapshot.connection.integer(
          "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'A'")
          == Int64(wanted.count))
      #expect(try snapshot.object("A", 1)?["name"] == .text("x"))
    }
    #expect(try old.object("A", 1)?["name"] == .text("x"))
  }

  @Test func `stored classes that the schema lacks stay`() throws {
    let file = try OpenStores.store(at: folder.file("more.cadastre"))
    try file.prepare(for: store(Property(name: "a", type: .int)))
    try add(["a": .int(1)], to: "A", file)
    try file.prepare(for: Boats.schema)

    #expect(try file.snapshot().rowCount("A") == 1)
    #expect(try file.snapshot().rowCount("Boat") == 0)
    #expect(try file.snapshot().catalogue.schema.objectSchema.count == 5)
  }

  @Test func `names that are equal for SQLite get distinct tables and columns`() throws {
    let spot = try #require(Boats.schema["Spot"])
    let point = { Property(name: $0, type: .object, isOptional: true, objectClassName: "Spot") }
    let text = { Property(name: $0, type: .string, isIndexed: true) }
    let classes = [
      ("A", [point("b_c"), point("site"), point("Site"), text("d_e"), text("D_E")]),
      ("A_b", [point("c"), text("d")]), ("a", [point("site_node"), point("site"), text("x")]),
      ("A_d", [text("e")]), ("rtree_A_site", [text("x")]), ("index_A_d_e", [text("x")]),
      ("B", [point("site_rowid"), point("site_parent"), point("site"), text("x")]),
      ("sqlite_master", [text("x")]), ("cadastre_class", [text("x")]),
      ("we\"ird ';--", [text("\"'")]),
    ]
    let schema = Schema(
      [spot] + classes.map { ObjectSchema(className: $0.0, properties: $0.1) })
    let file = try OpenStores.store(at: folder.file("names.cadastre"))
    try file.prepare(for: schema)
    for (className, properties) in classes {
      let object = properties.reduce(into: PlainObject()) { object, property in
        object[property.name] =
          property.type == .object ? Boats.point(1, 2) : .text("\(className).\(property.name)")
      }
      try add(object, to: className, file)
      #expect(try file.snapshot().object(className, 1) == object)
    }
    #expect(try file.snapshot().spatialProblems() == [])
  }

  private func remove(_ path: String) {
    for suffix in StoreFile.fileSuffixes { unlink(path + suffix) }
  }

  @Test func `writing to a removed file throws`() throws {
    let path = folder.file("gone.cadastre")
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Boats.schema)
    remove(path)
    do throws(StoreError) {
      _ = try file.beginWrite()
      Issue.record("a transaction began in a removed file")
    } catch {
      #expect(error.reason == .removed)
    }
  }

  @Test func `a removed store that was never read is created again`() throws {
    let path = folder.file("empty.cadastre")
    let file = StoreFile(path: path)
    // Opens the file for writing and reads nothing.
    #expect(throws: StoreError(.busy, path: path)) {
      try file.lockWriter(.seconds(3600)) { (_) throws(StoreError) in
        throw StoreError(.busy, path: path)
      }
    }
    remove(path)
    let transaction = try file.beginWrite()
    try transaction.adopt(Boats.schema)
    try transaction.commit()
    #expect(try StoreFile(path: path).snapshot().catalogue.layout("Boat") != nil)
    #expect(try file.snapshot().catalogue.layout("Boat") != nil)
  }

  @Test func `a writer that waits while a store is removed creates it again`() async throws {
    let path = folder.file("anew.cadastre")
    do {
      let first = try OpenStores.store(at: path)
      try first.prepare(for: Boats.schema)
    }
    let lock = try FileLock(beside: path)
    try lock.lock(until: .now + .seconds(3600))
    let waiting = StoreFile(path: path)
    let written = Task.detached {
      let transaction = try waiting.beginWrite()
      try transaction.adopt(Boats.schema)
      try transaction.commit()
    }
    try await Task.sleep(for: .milliseconds(200))
    remove(path)
    lock.unlock()
    try await written.value
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try waiting.snapshot().catalogue.layout("Boat") != nil)
  }
}

/// The last process that closes a store copies the log into the file and removes it, under the write lock.
@Suite struct ClosingTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test func `a statement that outlives its store does not delay the end of the log`() throws {
    let path = folder.file("s.cadastre")
    var statement: Statement?
    do {
      let file = StoreFile(path: path)
      let transaction = try file.beginWrite()
      try transaction.adopt(Boats.schema)
      _ = try transaction.insert("Harbor", object: ["code": .text("A"), "name": .text("A")])
      statement = try transaction.connection.statement("SELECT count(*) FROM cadastre_class")
      try transaction.commit()
      #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    }
    // A later checkpoint would run without the lock that the store held while it closed.
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    #expect(statement?.sql.isEmpty == false)
    statement = nil
    #expect(try StoreFile(path: path).snapshot().rowCount("Harbor") == 1)
  }
}
