import CadastreModel
import CadastreStore
public import Foundation

extension Realm {
  /// Which store a Realm opens, and which classes it manages.
  public struct Configuration: Sendable {
    /// The file; setting it clears `inMemoryIdentifier`.
    public var fileURL: URL? {
      didSet { if fileURL != nil { inMemoryIdentifier = nil } }
    }
    /// The name of a store that vanishes with its last user; setting it clears `fileURL`.
    public var inMemoryIdentifier: String? {
      didSet { if inMemoryIdentifier != nil { fileURL = nil } }
    }
    /// The version of the program's classes; a store of a lower one is migrated when it is opened.
    ///
    /// Count it up with each release that changes stored properties; `UInt64.max` is refused.
    public var schemaVersion: UInt64 = 0
    /// Changes the objects of a store of a lower version, after what can be done by itself; nil for nothing.
    public var migrationBlock: MigrationBlock?
    /// Whether a store that would need a migration, or is of a higher version, is emptied instead.
    ///
    /// All objects of all classes go then, and the migration block does not run.
    public var deleteRealmIfMigrationNeeded = false
    /// The classes to manage; nil for all model classes of the program.
    public var objectTypes: [ObjectBase.Type]?
    /// Bytes of properties that are kept in memory for questions; with 0 each reads the file.
    ///
    /// All Realms of a process that have the store open share them, and the last one to be opened with a
    /// limit sets it for all. Nil leaves the limit as it is, 256 MiB at first.
    public var columnMemoryLimit: Int?

    /// How many versions of the store may be held at once in this process; nil or 0 for any number.
    ///
    /// Realms that do not refresh and frozen objects hold them; a write beyond that stops the process.
    /// Each version that is held keeps the store's log from being emptied.
    public var maximumNumberOfActiveVersions: UInt?
    /// Seconds to wait for the turn to write before the write fails with ``Realm/Error/fileAccess``.
    public var writeTimeout: TimeInterval = 60

    var writeWait: Duration { .seconds(min(max(0, writeTimeout), 1e9)) }

    /// Describes a store.
    ///
    /// - Parameters:
    ///   - fileURL: The file; by default `default.cadastre` in the working directory.
    ///   - inMemoryIdentifier: The name of a store that vanishes with its last user, instead of a
    ///     file.
    ///   - schemaVersion: The version of the program's classes.
    ///   - migrationBlock: Changes the objects of a store of a lower version.
    ///   - deleteRealmIfMigrationNeeded: Whether a store that would need a migration is emptied instead.
    ///   - objectTypes: The classes to manage; nil for all model classes of the program.
    public init(
      fileURL: URL? = Configuration.defaultFileURL, inMemoryIdentifier: String? = nil,
      schemaVersion: UInt64 = 0, migrationBlock: MigrationBlock? = nil,
      deleteRealmIfMigrationNeeded: Bool = false, objectTypes: [ObjectBase.Type]? = nil
    ) {
      self.fileURL = inMemoryIdentifier == nil ? fileURL : nil
      self.inMemoryIdentifier = inMemoryIdentifier
      self.schemaVersion = schemaVersion
      self.migrationBlock = migrationBlock
      self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
      self.objectTypes = objectTypes
    }

    /// `default.cadastre` in the working directory.
    public static var defaultFileURL: URL {
      URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        .appendingPathComponent("default.cadastre")
    }

    /// What `Realm()` opens.
    public static var defaultConfiguration: Configuration {
      get { current.withLock { $0 ?? Configuration() } }
      set { current.withLock { $0 = newValue } }
    }

    private static let current = Guarded<Configuration?>(nil)

    /// The classes to manage, those of the program if none are named.
    var managedTypes: [ObjectBase.Type] { objectTypes ?? ClassDiscovery.defaultClasses }

    /// What tells this store from others.
    var storeName: String {
      if let inMemoryIdentifier { return "memory:" + inMemoryIdentifier }
      return fileURL.map { $0.standardizedFileURL.path } ?? ""
    }

    func store() throws(StoreError) -> StoreFile {
      if let inMemoryIdentifier {
        guard !inMemoryIdentifier.isEmpty else {
          Misuse.stop("Realm.Configuration.inMemoryIdentifier must not be empty.")
        }
        return try OpenStores.temporaryStore(inMemoryIdentifier)
      }
      guard let fileURL else {
        Misuse.stop("Realm.Configuration must specify a path or an in-memory identifier.")
      }
      return try OpenStores.store(at: fileURL.path)
    }
  }
}

extension Realm.Configuration: Equatable, CustomStringConvertible {
  /// Equal when they open the same store at the same version of the schema; the classes do not count.
  public static func == (first: Self, second: Self) -> Bool {
    first.fileURL == second.fileURL && first.inMemoryIdentifier == second.inMemoryIdentifier
      && first.schemaVersion == second.schemaVersion
  }

  /// The store and the classes.
  public var description: String {
    let names = objectTypes.map { $0.map { $0.className() }.joined(separator: ", ") }
    return "Realm.Configuration(\(storeName), objectTypes: \(names ?? "all"))"
  }
}
