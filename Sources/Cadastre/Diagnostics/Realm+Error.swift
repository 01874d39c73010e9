import CadastreStore
public import Foundation

extension Realm {
  /// An error of opening, reading or writing a Realm.
  public struct Error: Swift.Error, Hashable, CustomStringConvertible, LocalizedError {
    /// The kind of failure, with Realm's numbers.
    public enum Code: Int, Hashable, Sendable {
      /// Any other failure.
      case fail = 1
      /// The file cannot be accessed.
      case fileAccess = 2
      /// The permission for the file or its folder is missing.
      case filePermissionDenied = 3
      /// A file or folder with the name exists.
      case fileExists = 4
      /// The file or folder does not exist.
      case fileNotFound = 5
      /// The stored classes differ from the program's.
      case schemaMismatch = 10
      /// The store is open already.
      case alreadyOpen = 12
      /// The configuration contradicts itself, or requests an unsupported feature.
      case invalidInput = 13
      /// The disk is full.
      case outOfDiskSpace = 14
      /// A newer version, or MongoDB's Realm, created the file.
      case unsupportedFileFormatVersion = 16
      /// A file operation failed for another reason.
      case fileOperationFailed = 19
      /// The file is not a store, or is damaged.
      case invalidDatabase = 20

      /// Returns whether an error is of a kind, as in `catch Realm.Error.fileNotFound`.
      public static func ~= (code: Code, error: any Swift.Error) -> Bool {
        (error as? Realm.Error)?.code == code
      }
    }

    /// The kind of failure.
    public let code: Code
    /// The description.
    public let description: String
    /// The file.
    public let fileURL: URL?

    /// The description.
    public var errorDescription: String? { description }

    /// Any other failure.
    public static let fail = Code.fail
    /// The file cannot be accessed.
    public static let fileAccess = Code.fileAccess
    /// The permission for the file or its folder is missing.
    public static let filePermissionDenied = Code.filePermissionDenied
    /// A file or folder with the name exists.
    public static let fileExists = Code.fileExists
    /// The file or folder does not exist.
    public static let fileNotFound = Code.fileNotFound
    /// The stored classes differ from the program's.
    public static let schemaMismatch = Code.schemaMismatch
    /// The store is open already.
    public static let alreadyOpen = Code.alreadyOpen
    /// The configuration contradicts itself, or requests an unsupported feature.
    public static let invalidInput = Code.invalidInput
    /// The disk is full.
    public static let outOfDiskSpace = Code.outOfDiskSpace
    /// A newer version, or MongoDB's Realm, created the file.
    public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
    /// A file operation failed for another reason.
    public static let fileOperationFailed = Code.fileOperationFailed
    /// The file is not a store, or is damaged.
    public static let invalidDatabase = Code.invalidDatabase

    /// Creates an error of a kind, for tests of error handling.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - userInfo: The description under `NSLocalizedDescriptionKey`; the name of the kind if there is
    ///     none.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
      let sentence = userInfo[NSLocalizedDescriptionKey] as? String
      self.init(
        code, sentence ?? "\(code)",
        userInfo[NSFilePathErrorKey].flatMap { $0 as? String }
          .map { URL(fileURLWithPath: $0) })
    }

    init(_ code: Code, _ description: String, _ fileURL: URL?) {
      self.code = code
      self.description = description
      self.fileURL = fileURL
    }

    init(_ error: StoreError) {
      description = error.description
      fileURL = URL(fileURLWithPath: error.path)
      code =
        switch error.reason {
        case .fileNotFound, .removed: .fileNotFound
        case .isDirectory, .pathTooLong, .nameTooLong, .busy: .fileAccess
        case .permissionDenied, .readOnly, .unreadableLog: .filePermissionDenied
        case .fileExists: .fileExists
        case .inUse, .inUseUnderOtherName: .alreadyOpen
        case .logOfOtherFile: .fileAccess
        case .fileOperationFailed, .locksUnsupported, .notDurable, .unsyncedLog:
          .fileOperationFailed
        case .notADatabase, .foreignDatabase, .corrupt: .invalidDatabase
        case .olderFormat, .newerFormat, .mongoDBRealm: .unsupportedFileFormatVersion
        case .schemaMismatch, .schemaChanged: .schemaMismatch
        case .diskFull: .outOfDiskSpace
        case .openOtherwise, .openWithOtherDurability, .olderSchema, .migrationFailed,
          .duplicateKey, .nestedTooDeeply, .cancelled, .sqlite:
          .fail
        }
    }

    /// Runs an operation of the store, and converts `StoreError` to ``Realm/Error``.
    static func translating<Result>(_ operation: () throws -> Result) throws -> Result {
      do {
        return try operation()
      } catch let error as StoreError {
        throw Realm.Error(error)
      }
    }
  }
}
