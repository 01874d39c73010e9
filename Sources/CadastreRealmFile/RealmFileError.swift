import CadastreFormatting

/// The reason why a Realm file, or a part of it, cannot be read.
///
/// The description says where the problem is, what was found and what was expected.
package struct RealmFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of problems.
  package enum Problem: Hashable, Sendable {
    /// The file does not exist.
    case missing
    /// The path is a directory.
    case directory
    /// The system reported another error.
    case unreadable(reason: String)
    /// The file has neither the header of a Realm file nor the shape of an encrypted one.
    case notARealmFile
    /// The file is encrypted, and there is no key.
    case keyNeeded
    /// The key has another number of bytes than 64.
    case keyLength(Int)
    /// The first page does not match its checksum under the key.
    case wrongKey
    /// A key was given for a file that is not encrypted.
    case notEncrypted
    /// A page other than the first does not match its checksum.
    case damagedPage(Int)
    /// The file has the format of a version of Realm before 2020.
    case olderFormat(Int)
    /// The file has a format number that no version of Realm writes.
    case unknownFormat(Int)
    /// The file has the format of a newer version of Realm.
    case newerFormat(Int)
    /// The file is shorter than its content.
    case truncated(bytes: Int, expected: Int)
    /// Another program wrote to the file while it was open.
    case changed
    /// The file has no class with the name; the names of its classes.
    case noClass(String, classes: [String])
    /// The bytes at an offset violate the format.
    case damaged(offset: Int, detail: String)
  }

  /// The path of the file.
  package let path: String
  /// The table and the column with the problem; nil if it concerns the file.
  package let part: String?
  /// The problem.
  package let problem: Problem

  init(_ path: String, part: String? = nil, _ problem: Problem) {
    self.path = path
    self.part = part
    self.problem = problem
  }

  init(_ path: String, part: String?, _ damage: Damage) {
    self.init(path, part: part, .damaged(offset: damage.offset, detail: damage.detail))
  }

  /// Returns the error that a file does not have a class.
  package static func noClass(_ name: String, in file: RealmFile) -> RealmFileError {
    RealmFileError(file.path, .noClass(name, classes: file.tables.compactMap(\.className)))
  }

  /// One sentence: the location, what was found and what was expected.
  package var description: String {
    printable(path) + (part.map { ", \(printable($0))" } ?? "") + ": " + problem.sentence
  }
}

/// A violation of the format at an offset in the file.
struct Damage: Error, Hashable {
  let offset: Int
  let detail: String

  init(_ offset: Int, _ detail: String) {
    self.offset = offset
    self.detail = detail
  }
}

extension RealmFileError.Problem {
  fileprivate var sentence: String { fileSentence ?? contentSentence }

  /// The message of a problem of the whole file; nil for other problems.
  private var fileSentence: String? {
    switch self {
    case .missing: "the file does not exist"
    case .directory: "is a directory; expected a Realm file"
    case .unreadable(let reason): "cannot be read: \(printable(reason))"
    case .notARealmFile: "is not a Realm file: bytes 16 to 19 are not 'T-DB'"
    case .keyNeeded: "is encrypted, or is not a Realm file; its key of 64 bytes is needed"
    case .keyLength(let count): "the key has \(count) bytes; expected 64"
    case .wrongKey: "the key is wrong, or the first page of the file is damaged"
    case .notEncrypted: "is not encrypted; open it without a key"
    case .olderFormat(let number):
      "has file format \(number), of a version of Realm before 2020; expected 10, 11 or 20 to 24. "
        + "Open it once in a program with a Realm SDK of 2020 to 2025, which upgrades it"
    case .unknownFormat(let number):
      "has file format \(number), which no version of Realm writes; expected 10, 11 or 20 to 24"
    case .newerFormat(let number):
      "has file format \(number), of a later version of Realm; expected 10, 11 or 20 to 24. "
        + "Export its objects with that version"
    case .changed:
      "was changed by another program while it was read; close that program, or copy the file first"
    case .damagedPage, .truncated, .noClass, .damaged: nil
    }
  }

  private var contentSentence: String {
    switch self {
    case .damagedPage(let page): "page \(page) is damaged: its checksum does not match"
    case .truncated(let bytes, let expected):
      "is truncated: it has \(grouped(bytes)) bytes; its content ends at byte \(grouped(expected))"
    case .noClass(let name, let classes):
      "has no class '\(printable(name))'; its classes are \(listed(classes.map { printable($0) }))"
    case .damaged(let offset, let detail): "is damaged at byte \(grouped(offset)): \(detail)"
    default: ""
    }
  }
}
