import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

@testable import Cadastre
@testable import CadastreStore

/// Objects with properties beyond a page.
@Suite struct LargePropertyTests {
  final class Photo: Object {
    @Persisted var title = ""
    @Persisted var data = Data()
    @Persisted var text = ""
    @Persisted var any: AnyRealmValue
    @Persisted var rating = 0
  }

  private let folder = URL(fileURLWithPath: NSTemporaryDirectory())
    .appendingPathComponent(UUID().uuidString)

  private var configuration: Realm.Configuration {
    Realm.Configuration(
      fileURL: folder.appendingPathComponent("photos.cadastre"), objectTypes: [Photo.self])
  }

  private static func data(_ number: Int, _ count: Int) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: number &+ 1), count: count)
  }

  /// The bytes that the process has read from files; nil if the system does not count them.
  private static var bytesRead: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8) else {
      return nil
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix("rchar:") }
    return line.flatMap { Int($0.dropFirst(7)) }
  }

  @Test(.enabled(if: !CacheVerification.isOn))
  func `a loop over titles does not read the data beside them`() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let count = 2 << 20
    do {
      let realm = try Realm(configuration: configuration)
      try realm.write {
        for number in 0..<10 {
          let photo = realm.create(Photo.self, value: ["title": "\(number)"])
          photo.data = Self.data(number, count)
        }
      }
    }
    let realm = try Realm(configuration: configuration)
    let before = Self.bytesRead
    #expect(realm.objects(Photo.self).map(\.title) == (0..<10).map(String.init))
    let held = Array(realm.objects(Photo.self))
    #expect(held.reversed().map(\.title) == (0..<10).reversed().map(String.init))
    try realm.write { for photo in held { photo.rating += 1 } }
    if let before, let after = Self.bytesRead {
      // SQLite reads a row as a whole to change a column of it.
      #expect(after - before < 11 * count, "\((after - before) >> 10) KB")
    }
    let unchanged = Self.bytesRead
    for photo in held { #expect(photo.title.count == 1 && photo.rating == 1) }
    #expect(realm.objects(Photo.self).sorted(byKeyPath: "title").map(\.rating).count == 10)
    if let unchanged, let after = Self.bytesRead {
      #expect(after - unchanged < 1 << 20, "\((after - unchanged) >> 10) KB")
    }
    for (number, photo) in held.enumerated() {
      #expect(photo.data == Self.data(number, count))
      #expect(photo.freeze().data == Self.data(number, count))
    }
  }

  final class Track: Object {
    @Persisted var point: LongPoint?
    @Persisted var note = ""
  }

  final class LongPoint: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
  }

  @Test func `a point with more coordinates than fit in a page keeps them`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Track.self, LongPoint.self]))
    let numbers = (0..<2000).map { Double($0) / 16 }
    let track = Track()
    track.point = LongPoint()
    try realm.write {
      realm.add(track)
      track.point?.coordinates.append(objectsIn: numbers)
      #expect(track.point.map { Array($0.coordinates) } == numbers)
      track.point?.coordinates.append(-1)
    }
    #expect(track.point.map { Array($0.coordinates) } == numbers + [-1])
    try realm.write {
      track.note = "n"
      track.point?.type = "Track"
    }
    #expect(track.point?.type == "Track" && track.point?.coordinates.count == 2001)
    #expect(
      realm.objects(Track.self).first.map { Array($0.point?.coordinates ?? List()) } == numbers + [
        -1
      ])
  }

  @Test(arguments: Seeds.usual(1...10))
  func `values of all sizes are those that were set`(seed: UInt64) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var random = SeededGenerator(seed: seed)
    struct Model: Equatable {
      var title = ""
      var data = Data()
      var text = ""
      var any = AnyRealmValue.none
      var rating = 0
    }
    let realm = try Realm(configuration: configuration)
    realm.core.file.bufferCapacity.withLock { $0 = [0, 1, 7, 1024][random.below(4)] }
    var expected: [Model] = []
    var committed: [Model] = []
    var photos: [Photo] = []
    func size() -> Int { [0, 3, 4000, 4095, 4096, 4097, 5000, 70_000][random.below(8)] }
    func check(_ step: Int) {
      for _ in 0..<6 where !photos.isEmpty {
        let index = random.below(photos.count)
        let (photo, model) = (photos[index], expected[index])
        let comment = Comment("seed \(seed), step \(step), photo \(index)")
        switch random.below(6) {
        case 0: #expect(photo.title == model.title && photo.rating == model.rating, comment)
        case 1: #expect(photo.data == model.data, comment)
        case 2: #expect(photo.text == model.text, comment)
        case 3: #expect(photo.any == model.any, comment)
        case 4:
          #expect(photo["text"] as? String == model.text && !photo.isInvalidated, comment)
        default:
          let all = realm.objects(Photo.self).map {
            Model(
              title: $0.title, data: $0.data, text: $0.text, any: $0.any, rating: $0.rating)
          }
          #expect(Array(all) == expected, comment)
        }
      }
    }
    for step in 0..<12 {
      realm.beginWrite()
      for _ in 0..<random.below(12) {
        if photos.isEmpty || random.below(4) == 0 {
          let model = Model(title: "\(step)", data: Self.data(step, size()))
          photos.append(
            realm.create(Photo.self, value: ["title": model.title, "data": model.data]))
          expected.append(model)
        } else {
          let index = random.below(photos.count)
          let text = String(repeating: "é", count: size() / 2)
          switch random.below(5) {
          case 0:
            expected[index].data = Self.data(step, size())
            photos[index].data = expected[index].data
          case 1:
            expected[index].text = text
            photos[index].text = text
          case 2:
            expected[index].any = .string(text)
            photos[index].any = .string(text)
          case 3:
            expected[index].any = .data(Self.data(step, size()))
            photos[index].any = expected[index].any
          default:
            expected[index].rating += 1
            photos[index].rating += 1
          }
        }
        check(step)
      }
      if random.below(4) == 0 {
        realm.cancelWrite()
        photos.removeLast(photos.count - committed.count)
        expected = committed
      } else {
        try realm.commitWrite()
        committed = expected
      }
      check(step)
    }
  }
}
