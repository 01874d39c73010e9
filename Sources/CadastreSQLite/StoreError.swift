import CSQLite
import Foundation

/// The error of an operation on a store or on another SQLite file.
///
/// This target and the store share one type, because separate typed errors would need a conversion at every
/// SQLite call of the store. Messages contain neither stored values nor SQL.
public struct StoreError: Error, Hashable, Sendable {
  /// The kinds of errors.
  public enum Reason: Hashable, Sendable {
    /// The file or its folder does not exist, or the file is empty.
    case fileNotFound
    /// The file or its log was removed, or replaced by another file, while the store was open.
    case removed
    /// The path is a folder.
    case isDirectory
    /// The path of the file, or of a temporary file beside it, is longer than SQLite opens.
    case pathTooLong(bytes: Int, maximum: Int)
    /// The name of the file is so long that files beside it cannot be created.
    case nameTooLong(bytes: Int, maximum: Int)
    /// The permission to read or write the file or its folder is missing.
    case permissionDenied
    /// The file is not an SQLite database.
    case notADatabase
    /// The file is an SQLite database that Cadastre did not create.
    case foreignDatabase
    /// The file is a Realm file of MongoDB.
    case mongoDBRealm
    /// The file has the format of an earlier version of Cadastre, and cannot be upgraded: another process has it open,
    /// or it is opened for reading only.
    case olderFormat(found: Int, isInUse: Bool)
    /// The file has the format of a newer version of Cadastre.
    case newerFormat(found: Int, supported: Int)
    /// The stored classes differ from the program's; one sentence per difference.
    case schemaMismatch([String])
    /// The stored schema version is newer than the program's.
    case olderSchema(wanted: UInt64, stored: UInt64)
    /// Another process has changed a class since the store was opened.
    case schemaChanged(className: String)
    /// The objects do not fit the new schema; one sentence per reason.
    case migrationFailed([String])
    /// Another object of the class has the same primary key.
    case duplicateKey(className: String, property: String)
    /// The store is open for reading only, or its file may not be written.
    case readOnly
    /// This process has the store open with the other access: for reading only, or for writing.
    case openOtherwise(readOnly: Bool)
    /// This process has the store open with another durability of commits.
    case openWithOtherDurability
    /// The store is open, in this process or in another.
    case inUse
    /// Another process has the file open under another name, or the log lies beside another name; the name if it
    /// could be determined.
    case inUseUnderOtherName(String?)
    /// The log beside the file belongs to an earlier file at the path.
    case logOfOtherFile
    /// The file system does not support file locks; the message of the system.
    case locksUnsupported(String)
    /// A file exists at the path of a new one, or beside it.
    case fileExists
    /// The file has a log, which can be read only with permission to write its folder.
    case unreadableLog
    /// A step of creating a file failed; the message of the system.
    case fileOperationFailed(String)
    /// The transaction is committed and visible, but the disk failed to store it: a loss of power may undo it.
    case notDurable
    /// The disk failed to store earlier commits, and their pages cannot be copied from the log into the file.
    case unsyncedLog
    /// The disk is full.
    case diskFull
    /// Another process or thread holds a lock for longer than the timeout.
    case busy
    /// The content of the file is inconsistent.
    case corrupt(String)
    /// Objects are embedded in each other on more levels than can be read at once.
    case nestedTooDeeply(className: String, maximumDepth: Int)
    /// The query was cancelled.
    case cancelled
    /// Another error of SQLite; its message.
    case sqlite(code: Int, message: String)
  }

  /// The kind of error.
  public var reason: Reason
  /// The file.
  public var path: String
  /// The SQL text of the failed statement, with placeholders for values; nil outside of statements.
  public var statement: String?

  /// Creates an error of an operation on a file.
  package init(_ reason: Reason, path: String, statement: String? = nil) {
    self.reason = reason
    self.path = path
    self.statement = statement
  }
}

extension StoreError: CustomStringConvertible {
  /// The error as a sentence.
  public var description: String {
    switch reason {
    case .fileNotFound:
      "there is no store '\(path)': the file or its folder does not exist, or the file is empty"
    case .removed:
      "'\(path)' or its log was removed or replaced while the store was open, so the transaction was rolled "
        + "back: close the store and open it again"
    case .isDirectory: "'\(path)' is a folder; expected a store's file"
    case .pathTooLong(let bytes, let maximum):
      "the path '\(path)', or that of a temporary file beside it, is too long: it has \(bytes) bytes without "
        + "symbolic links, and SQLite opens files with paths of up to \(maximum) bytes; use a folder with a "
        + "shorter path"
    case .nameTooLong(let bytes, let maximum):
      "the name of '\(path)' is too long: it has \(bytes) bytes, and files beside it need names with up to 8 "
        + "bytes more; use a name of up to \(maximum) bytes"
    case .permissionDenied: "no permission to use '\(path)' or its folder"
    case .mongoDBRealm:
      "'\(path)' is a Realm file of MongoDB, not a Cadastre store, and was not changed. Bring its objects into "
        + "a store with Realm.importRealmFile(at:into:), with seedFilePath of Realm.Configuration, or with "
        + "'cadastre import FILE --store STORE'"
    case .notADatabase: "'\(path)' is not a Cadastre store: it is not an SQLite database"
    case .foreignDatabase:
      "'\(path)' is an SQLite database that Cadastre did not create; it was not changed"
    case .olderFormat(let found, let isInUse):
      "'\(path)' has format \(found) of an earlier version of Cadastre, and is upgraded when it is opened for "
        + "writing; "
        + (isInUse
          ? "another program has it open: close it first"
          : "open it for writing once, for example with 'cadastre compact FILE', or a copy that may be written")
    case .newerFormat(let found, let supported):
      "'\(path)' has format \(found) of a newer version of Cadastre; this version reads formats up to "
        + "\(supported)"
    case .schemaMismatch(let differences):
      "Migration is required due to the following errors in '\(path)':\n"
        + differences.map { "- \($0)" }.joined(separator: "\n")
    case .olderSchema(let wanted, let stored):
      "Provided schema version \(wanted) is less than last set version \(stored) of '\(path)'"
    case .schemaChanged(let className):
      "'\(path)' was migrated while it was open: class '\(className)' differs from this program's class; "
        + "close the store and open it with the new classes"
    case .migrationFailed(let reasons):
      "'\(path)' cannot be migrated and was not changed:\n"
        + reasons.map { "- \($0)" }.joined(separator: "\n")
    case .duplicateKey(let className, let property):
      "an object of type '\(className)' with this primary key '\(property)' exists already"
    case .readOnly: "'\(path)' is open for reading only, or may not be written"
    case .openOtherwise(let readOnly):
      "'\(path)' is open in this process \(readOnly ? "for reading only" : "for writing"): use the same "
        + "readOnly for all openings, or release the others first"
    case .openWithOtherDurability:
      "'\(path)' is open in this process with another durability: use the same durability for all openings, or "
        + "release the others first"
    case .inUse: "'\(path)' is open in this process or in another one: close it first"
    case .inUseUnderOtherName(let name):
      "'\(path)' is another name of a store whose log is "
        + (name.map { "beside '\($0)'" } ?? "beside a name that another process uses")
        + ", and without its log it is not complete: open it under that name, or close it there first"
    case .logOfOtherFile:
      "'\(path)-wal' is the log of a file that was at this path before, so the store was replaced while it was open "
        + "or after a crash; nothing was changed. If '\(path)' is complete, as a backup is, remove '\(path)-wal' and "
        + "'\(path)-shm'; otherwise put the file back that belongs to the log. If the log was restored with the store, "
        + "copy it to another file and rename that to '\(path)-wal'"
    case .locksUnsupported(let message):
      "the file system of '\(path)' does not support file locks (\(message)), which a store needs: put it on a "
        + "local disk"
    case .fileExists: "a file '\(path)' exists already, or the log of a removed one"
    case .unreadableLog:
      "'\(path)' has a log, which can be read only with permission to write its folder: open it once with that "
        + "permission, or copy it with its '-wal' file to another folder"
    case .fileOperationFailed(let detail): "cannot create '\(path)': \(detail)"
    case .notDurable:
      "the changes are committed to '\(path)' and visible, but its disk failed to store them, so that a loss of "
        + "power may undo them: check the disk, and write the values again"
    case .unsyncedLog:
      "the disk failed to store the log of '\(path)', and the log cannot be copied into the file, so nothing is "
        + "written: check the disk, and release Realms and frozen objects of older versions"
    case .diskFull: "no space left on the disk for '\(path)'"
    case .busy: "'\(path)' was locked by another process or thread for too long"
    case .corrupt(let detail): "'\(path)' is damaged: \(detail)"
    case .nestedTooDeeply(let className, let maximumDepth):
      "'\(path)' has objects of class '\(className)' that are embedded in each other on more than "
        + "\(maximumDepth) levels; at most \(maximumDepth) can be printed or exported"
    case .cancelled: "the query on '\(path)' was cancelled"
    case .sqlite(let code, let message):
      "SQLite error \(code) on '\(path)': \(message)"
    }
  }
}

extension StoreError {
  /// The error for a result code of SQLite and the system's error codes behind it.
  init(
    code: Int32, message: String, systemErrors: [Int32] = [], path: String,
    statement: String? = nil
  ) {
    let reason: Reason =
      switch code & 0xFF {
      // A quota or a limit on the size of files.
      case SQLITE_IOERR where systemErrors.contains(where: [ENOSPC, EDQUOT, EFBIG].contains):
        .diskFull
      case SQLITE_IOERR where Self.lockErrors.contains(code >> 8):
        .locksUnsupported(
          systemErrors.first { $0 != 0 }.map { String(cString: strerror($0)) } ?? message)
      case SQLITE_NOTADB: .notADatabase
      case SQLITE_READONLY: .readOnly
      case SQLITE_FULL: .diskFull
      case _ where BusyPolicy.isLocked(code): .busy
      case SQLITE_INTERRUPT: .cancelled
      case SQLITE_CORRUPT: .corrupt(message)
      case SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN: .permissionDenied
      default: .sqlite(code: Int(code), message: message)
      }
    self.init(reason, path: path, statement: statement)
  }

  /// The extended codes of `SQLITE_IOERR` for a lock that fails for another reason than contention: `RDLOCK`,
  /// `LOCK` and `SHMLOCK`, whose macros Swift does not import.
  private static let lockErrors: [Int32] = [9, 15, 20]

  /// The error for a system call's `errno`.
  package init(systemError code: Int32, path: String) {
    let reason: Reason =
      switch code {
      case ENOENT: .fileNotFound
      case ENOTDIR, ENAMETOOLONG, ELOOP:
        .fileOperationFailed(String(cString: strerror(code)))
      case EISDIR: .isDirectory
      case EACCES, EPERM, EROFS: .permissionDenied
      case ENOSPC, EDQUOT, EFBIG: .diskFull
      default: .sqlite(code: Int(code), message: String(cString: strerror(code)))
      }
    self.init(reason, path: path)
  }

  /// Whether a row, a text or a blob is larger than the limit of the connection.
  package var isOfTooLargeValue: Bool {
    if case .sqlite(let code, _) = reason { code & 0xFF == Int(SQLITE_TOOBIG) } else { false }
  }

  /// Whether a unique index refused a value.
  package var isUniqueViolation: Bool {
    // SQLITE_CONSTRAINT_UNIQUE, whose macro Swift does not import.
    if case .sqlite(let code, _) = reason { code == Int(SQLITE_CONSTRAINT) | 8 << 8 } else { false }
  }
}
