import Cadastre
import Foundation
import Testing
import TestingSupport

// The samples of `Attachments.md`.

class Attachment: Object {
  @Persisted(primaryKey: true) var id: UUID
  @Persisted var name = ""
  @Persisted var mediaType = ""
  @Persisted var byteCount = 0
  @Persisted var pieces: List<Data>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Message: Object {
  @Persisted(primaryKey: true) var id: UUID
  @Persisted(fullText: true) var text = ""
  @Persisted var attachments: List<Attachment>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension Attachment {
  static let pieceBytes = 1 << 20

  /// Creates an attachment with the content of a file.
  static func create(from file: URL, mediaType: String, in realm: Realm) throws -> Attachment {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    return try realm.write {
      let attachment = realm.create(
        Attachment.self, value: ["name": file.lastPathComponent, "mediaType": mediaType])
      while let piece = try handle.read(upToCount: pieceBytes), !piece.isEmpty {
        attachment.pieces.append(piece)
        attachment.byteCount += piece.count
      }
      return attachment
    }
  }

  /// Writes the content to a file.
  func write(to file: URL) throws {
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    for index in pieces.indices { try handle.write(contentsOf: pieces[index]) }
  }
}

class Picture: Object {
  @Persisted(primaryKey: true) var id: UUID
  @Persisted var thumbnail = Data()
  @Persisted var content: PictureContent?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PictureContent: Object {
  @Persisted var bytes = Data()

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct FileShelf {
  let folder: URL

  /// Stores a file under a new name.
  func add(_ content: Data, mediaType: String, to realm: Realm) throws -> Attachment {
    let id = UUID()
    try content.write(to: url(of: id), options: .atomic)
    return try realm.write {
      realm.create(
        Attachment.self,
        value: ["id": id, "mediaType": mediaType, "byteCount": content.count] as [String: Any])
    }
  }

  /// Deletes the files that belong to no object; to be called at the start.
  func removeOrphans(_ realm: Realm) throws {
    let used = Set(realm.objects(Attachment.self).map(\.id.uuidString))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where !used.contains(name) {
      try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }

  func url(of id: UUID) -> URL { folder.appendingPathComponent(id.uuidString) }
}

@Suite struct AttachmentsTests {
  private let realm: Realm

  init() throws {
    realm = try openRealm(
      Message.self, Attachment.self, Picture.self, PictureContent.self)
  }

  func delete(_ picture: Picture, in realm: Realm) throws {
    try realm.write {
      if let content = picture.content { realm.delete(content) }
      realm.delete(picture)
    }
  }

  @Test func `a file is stored in pieces`() throws {
    try withTemporaryFolder { folder in
      let file = folder.appendingPathComponent("report.pdf")
      let content = Data((0..<(5 << 19)).map { UInt8(truncatingIfNeeded: $0 / 1000) })
      try content.write(to: file)
      let attachment = try Attachment.create(from: file, mediaType: "application/pdf", in: realm)
      #expect(attachment.pieces.count == 3 && attachment.byteCount == 5 << 19)
      let copy = folder.appendingPathComponent("copy.pdf")
      try attachment.write(to: copy)
      #expect(try Data(contentsOf: copy) == content)
    }
  }

  @Test func `a value has at most 16 MiB`() throws {
    try realm.write {
      let bytes = Data(repeating: 0, count: 16 << 20)
      realm.create(PictureContent.self, value: ["bytes": bytes])
      #expect(throws: InvalidValueError.self) {
        try realm.create(checking: PictureContent.self, value: ["bytes": bytes + [0]])
      }
    }
    #expect(realm.objects(PictureContent.self).first?.bytes.count == 16 << 20)
  }

  @Test func `content is deleted with its picture`() throws {
    let picture = try realm.write {
      realm.create(Picture.self, value: ["content": ["bytes": Data([1, 2, 3])]])
    }
    try delete(picture, in: realm)
    #expect(realm.objects(PictureContent.self).isEmpty && realm.objects(Picture.self).isEmpty)
  }

  @Test func `files without an object are removed`() throws {
    try withTemporaryFolder { folder in
      let shelf = FileShelf(folder: folder)
      let first = try shelf.add(Data([1]), mediaType: "image/png", to: realm)
      let second = try shelf.add(Data([2]), mediaType: "image/png", to: realm)
      let kept = first.id.uuidString
      try realm.write { realm.delete(second) }
      try shelf.removeOrphans(realm)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [kept])
    }
  }

  @Test func `the article shows this code`() throws {
    try Article("Attachments.md").expectSamplesAreCompiled(count: 4)
  }
}
