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
      /// The file or its folder may not be used.
      case filePermissionDenied = 3
      /// There is something where a file is to be made.
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
      /// The file was made by a newer version, or by MongoDB's Realm.
      case unsupportedFileFormatVersion = 16
      /// A file could not be made, for another reason.
      case fileOperationFailed = 19
      /// The file is something else, or damaged.
      case invalidDatabase = 20

      /// Matches the kind of any error, as in `catch Realm.Error.fileNotFound`.
      public static func ~= (code: Code, error: any Swift.Error) -> Bool {
        (error as? Realm.Error)?.code == code
      }
    }

    /// The kind of failure.
    public let code: Code
    /// The sentence.
    public let description: String
    /// The file.
    public let fileURL: URL?

    /// The sentence.
    public var errorDescription: String? { description }

    /// Any other failure.
    public static let fail = Code.fail
    /// The file cannot be accessed.
    public static let fileAccess = Code.fileAccess
    /// The file or its folder may not be used.
    public static let filePermissionDenied = Code.filePermissionDenied
    /// There is something where a file is to be made.
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
    /// The file was made by a newer version, or by MongoDB's Realm.
    public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
    /// A file could not be made, for another reason.
    public static let fileOperationFailed = Code.fileOperationFailed
    /// The file is something else, or damaged.
    public static let invalidDatabase = Code.invalidDatabase

    /// Creates an error of a kind, for tests of error handling.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - userInfo: The sentence under `NSLocalizedDescriptionKey`; the name of the kind where
    ///     there is none.
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
        case .fileOperationFailed, .locksUnsupported: .fileOperationFailed
        case .notADatabase, .foreignDatabase, .corrupt: .invalidDatabase
        case .olderFormat, .newerFormat, .mongoDBRealm: .unsupportedFileFormatVersion
        case .schemaMismatch, .schemaChanged: .schemaMismatch
        case .diskFull: .outOfDiskSpace
        case .openOtherwise, .olderSchema, .migrationFailed, .duplicateKey, .nestedTooDeeply,
          .cancelled, .sqlite:
          .fail
        }
    }

    /// Runs an operation of the store, whose errors become errors of the Realm.
    static func translating<Result>(_ operation: () throws -> Result) throws -> Result {
      do {
        return try operation()
      } catch let error as StoreError {
        throw Realm.Error(error)
      }
    }
  }
}
