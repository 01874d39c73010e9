import CadastreModel
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
      didSet {
        guard inMemoryIdentifier != nil else { return }
        fileURL = nil
        seedFilePath = nil
      }
    }
    /// Must be nil: Cadastre does not encrypt files, and a Realm with a key fails to open.
    ///
    /// Keep the file on an encrypted file system instead.
    public var encryptionKey: Data?
    /// Whether the store is read only, and taken not to change; it must be there then.
    ///
    /// Its file and folder may be such that they cannot be written. A Realm of it cannot write, refresh or
    /// observe. All openings of a file in a process say the same.
    public var readOnly = false
    /// Asked with the bytes of the file and those in use when the process opens the store, unless another
    /// process has it open; true to compact it, see ``Realm/compact(for:)``.
    public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?
    /// The store whose copy a new one begins as; setting it clears `inMemoryIdentifier`.
    public var seedFilePath: URL? {
      didSet { if seedFilePath != nil { inMemoryIdentifier = nil } }
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

    /// Called with the first error of a read whose signature cannot throw, such as `count`, see
    /// ``Realm/readError``; by default it is written to standard error.
    public var readErrorHandler: @Sendable (Realm.Error) -> Void = Self.printReadError

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
    ///   - fileURL: The file; by default ``defaultFileURL``.
    ///   - inMemoryIdentifier: The name of a store that vanishes with its last user, instead of a
    ///     file.
    ///   - encryptionKey: Must be nil.
    ///   - readOnly: Whether the store is read only.
    ///   - schemaVersion: The version of the program's classes.
    ///   - migrationBlock: Changes the objects of a store of a lower version.
    ///   - deleteRealmIfMigrationNeeded: Whether a store that would need a migration is emptied instead.
    ///   - shouldCompactOnLaunch: Asked with the bytes of the file and those in use whether to compact it.
    ///   - objectTypes: The classes to manage; nil for all model classes of the program.
    ///   - seedFilePath: The store whose copy a new one begins as.
    public init(
      fileURL: URL? = Configuration.defaultFileURL, inMemoryIdentifier: String? = nil,
      encryptionKey: Data? = nil, readOnly: Bool = false, schemaVersion: UInt64 = 0,
      migrationBlock: MigrationBlock? = nil, deleteRealmIfMigrationNeeded: Bool = false,
      shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)? = nil,
      objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil
    ) {
      self.fileURL = inMemoryIdentifier == nil ? fileURL : nil
      self.inMemoryIdentifier = inMemoryIdentifier
      self.encryptionKey = encryptionKey
      self.readOnly = readOnly
      self.schemaVersion = schemaVersion
      self.migrationBlock = migrationBlock
      self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
      self.shouldCompactOnLaunch = shouldCompactOnLaunch
      self.objectTypes = objectTypes
      self.seedFilePath = seedFilePath
    }

    /// `default.cadastre` in a folder of the program's name in the user's folder for data.
    ///
    /// On Linux that is `$XDG_DATA_HOME/<program>/default.cadastre`, or `~/.local/share/<program>/default.cadastre`; on
    /// Apple platforms it is in the folder for application support. The folder is made when the store is opened.
    public static var defaultFileURL: URL { DefaultLocation.url }

    /// What `Realm()` opens.
    public static var defaultConfiguration: Configuration {
      get { current.withLock { $0 ?? Configuration() } }
      set { current.withLock { $0 = newValue } }
    }

    private static let current = Guarded<Configuration?>(nil)

    /// The classes to manage, those of the program if none are named.
    var managedTypes: [ObjectBase.Type] { objectTypes ?? ClassDiscovery.defaultClasses }
  }
}

extension Realm.Configuration: Equatable, CustomStringConvertible {
  /// Equal when they open the same store in the same way; the classes do not count.
  public static func == (first: Self, second: Self) -> Bool {
    first.fileURL == second.fileURL && first.inMemoryIdentifier == second.inMemoryIdentifier
      && first.encryptionKey == second.encryptionKey && first.readOnly == second.readOnly
      && first.schemaVersion == second.schemaVersion
  }

  /// The store and the classes.
  public var description: String {
    let names = objectTypes.map { $0.map { $0.className() }.joined(separator: ", ") }
    return
      "Realm.Configuration(\(storeName)\(readOnly ? ", readOnly" : ""), objectTypes: \(names ?? "all"))"
  }
}
