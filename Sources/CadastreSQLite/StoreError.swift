/// The error of an operation on a store or on another SQLite file.
///
/// One type serves both this target and the store: a typed error of its own for each layer would need a
/// conversion at every SQLite call of the store. Stored values never appear in a message; a statement shows
/// its placeholders.
public struct StoreError: Error, Hashable, Sendable {
  /// What went wrong.
  public enum Reason: Hashable, Sendable {
    /// There is no such file, or its folder does not exist.
    case fileNotFound
    /// The file was removed, or replaced by another, while it was open.
    case removed
    /// The path names a folder.
    case isDirectory
    /// The file or its folder may not be read, or may not be written.
    case permissionDenied
    /// The file is not an SQLite database.
    case notADatabase
    /// The file is an SQLite database that Cadastre did not make.
    case foreignDatabase
    /// The file is one of MongoDB's Realm.
    case mongoDBRealm
    /// The file was made by a newer version of Cadastre.
    case newerFormat(found: Int, supported: Int)
    /// The stored classes and the given ones differ; one sentence each.
    case schemaMismatch([String])
    /// A newer version of the application's schema is stored.
    case olderSchema(wanted: UInt64, stored: UInt64)
    /// Somebody else has changed a class since the store was opened.
    case schemaChanged(className: String)
    /// The objects cannot be kept under a new schema; one sentence each.
    case migrationFailed([String])
    /// An object of the class with this value of its primary key is there already.
    case duplicateKey(className: String, property: String)
    /// The store is open for reading only, or its file may not be written.
    case readOnly
    /// The store is open in this process already, for reading only or for writing too, and the other was
    /// asked for.
    case openOtherwise(readOnly: Bool)
    /// The store is open, in this process or in another.
    case inUse
    /// Something is at the path, or left beside it, where a new file is to be.
    case fileExists
    /// The file has a log, which only those may read who may write its folder.
    case unreadableLog
    /// A step of making a file failed; the system's own words.
    case fileOperationFailed(String)
    /// There is no room left on the disk.
    case diskFull
    /// Somebody else has locked the file for too long.
    case busy
    /// The file's content contradicts itself.
    case corrupt(String)
    /// SQLite refused for another reason; its own words.
    case sqlite(code: Int, message: String)
  }

  /// What went wrong.
  public var reason: Reason
  /// The file.
  public var path: String
  /// The statement that failed, with placeholders for values; nil outside statements.
  public var statement: String?

  /// Describes what went wrong with a file.
  package init(_ reason: Reason, path: String, statement: String? = nil) {
    self.reason = reason
    self.path = path
    self.statement = statement
  }
}

extension StoreError: CustomStringConvertible {
  /// The sentence.
  public var description: String {
    switch reason {
    case .fileNotFound: "there is no file '\(path)', or its folder does not exist"
    case .removed:
      "'\(path)' was removed or replaced while it was open; nothing was written: close it and open it "
        + "again"
    case .isDirectory: "'\(path)' is a folder; expected a store's file"
    case .permissionDenied: "no permission to use '\(path)' or its folder"
    case .mongoDBRealm:
      "'\(path)' is a file of MongoDB's Realm, which Cadastre cannot read; it is left as it is. Save its "
        + "data as JSON, in Realm Studio or from a program that still uses Realm, and add the objects with "
        + "realm.create(_:value:)"
    case .notADatabase: "'\(path)' is not a Cadastre store: it is not an SQLite database"
    case .foreignDatabase:
      "'\(path)' is an SQLite database that Cadastre did not make; it is left as it is"
    case .newerFormat(let found, let supported):
      "'\(path)' has format \(found) of a newer version of Cadastre; this one reads up to "
        + "\(supported)"
    case .schemaMismatch(let differences):
      "Migration is required due to the following errors in '\(path)':\n"
        + differences.map { "- \($0)" }.joined(separator: "\n")
    case .olderSchema(let wanted, let stored):
      "Provided schema version \(wanted) is less than last set version \(stored) of '\(path)'"
    case .schemaChanged(let className):
      "'\(path)' was migrated while it was open: class '\(className)' is no longer as this program has "
        + "it; close the store and open it with the newer classes"
    case .migrationFailed(let reasons):
      "'\(path)' cannot be migrated, and is as it was:\n"
        + reasons.map { "- \($0)" }.joined(separator: "\n")
    case .duplicateKey(let className, let property):
      "an object of type '\(className)' with this primary key '\(property)' exists already"
    case .readOnly: "'\(path)' is open for reading only, or may not be written"
    case .openOtherwise(let readOnly):
      "'\(path)' is open in this process \(readOnly ? "for reading only" : "for writing"): use the same "
        + "readOnly for all openings, or let go of the others first"
    case .inUse: "'\(path)' is open in this process or in another: close it first"
    case .fileExists: "there is a file '\(path)' already, or the log of one that was removed"
    case .unreadableLog:
      "'\(path)' has a log that can be read by those only who may write its folder: open it once with that "
        + "permission, or copy it with its '-wal' into another folder"
    case .fileOperationFailed(let detail): "cannot make '\(path)': \(detail)"
    case .diskFull: "no room left on the disk for '\(path)'"
    case .busy: "'\(path)' is locked by somebody else for too long"
    case .corrupt(let detail): "'\(path)' is damaged: \(detail)"
    case .sqlite(let code, let message):
      "SQLite error \(code) on '\(path)': \(message)" + (statement.map { " in: \($0)" } ?? "")
    }
  }
}
