import Cadastre
import Foundation

/// Where a thing is.
class Site: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
}

/// A part of what one commit adds; it touches every kind of index.
class Part: Object {
  @Persisted(indexed: true) var deed = 0
  @Persisted var writer = 0
  @Persisted var place = 0
  @Persisted(fullText: true) var words = ""
  @Persisted var site: Site?
  @Persisted var numbers: List<Int>
}

/// What a writer has committed.
class Ledger: Object {
  @Persisted(primaryKey: true) var writer = 0
  @Persisted var last = 0
  @Persisted var deeds: List<Int>
  @Persisted var newest: Part?
}

/// What each commit of a writer does: a function of the writer and of the commit's number, so that whoever
/// knows how many commits there were knows what the store must hold.
enum Deeds {
  static func configuration(_ path: String) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: path), objectTypes: [Ledger.self, Part.self, Site.self])
  }

  /// The number of parts that a commit adds; some are enough for the spatial index to be packed anew, and
  /// are deleted soon, so that it takes little time to look at all parts.
  static func parts(_ writer: Int, _ deed: Int) -> Int {
    writer == victim && deed % 40 == 16 ? 2100 : 1 + (deed * 7 + writer) % 5
  }

  /// The earlier commit whose parts a commit deletes; nil where it deletes none.
  static func undone(by deed: Int) -> Int? { deed % 5 == 4 && deed > 5 ? deed - 3 : nil }

  /// The writer that is killed.
  static let victim = 0
  /// The writer that goes on.
  static let companion = 1

  /// Carries out the next commit of a writer.
  ///
  /// - Returns: Its number.
  static func next(_ writer: Int, _ realm: Realm) throws -> Int {
    try realm.write {
      let ledger =
        realm.object(ofType: Ledger.self, forPrimaryKey: writer)
        ?? realm.create(Ledger.self, value: ["writer": writer])
      let deed = ledger.last + 1
      for place in 0..<parts(writer, deed) {
        ledger.newest = realm.create(
          Part.self,
          value: [
            "deed": deed, "writer": writer, "place": place, "words": words(writer, deed, place),
            "site": [
              "coordinates": [Double((deed * 31 + place) % 360) - 180, Double(deed % 180) - 90]
            ],
            "numbers": [deed, place],
          ])
      }
      if let undone = undone(by: deed) {
        realm.delete(realm.objects(Part.self).where { $0.deed == undone && $0.writer == writer })
      }
      ledger.deeds.append(deed)
      ledger.last = deed
      return deed
    }
  }

  static func words(_ writer: Int, _ deed: Int, _ place: Int) -> String {
    "writer\(writer) deed\(deed) part \(place)"
  }

  /// What a Realm has of a writer that whole commits cannot have left, as a sentence; nil where it has the
  /// first so many.
  ///
  /// - Returns: The number of commits, and the sentence.
  static func fault(_ writer: Int, _ realm: Realm) -> (deeds: Int, fault: String?) {
    let ledger = realm.object(ofType: Ledger.self, forPrimaryKey: writer)
    let last = ledger?.last ?? 0
    guard Array(ledger.map { Array($0.deeds) } ?? []) == Array(1..<last + 1) else {
      return (last, "the ledger of writer \(writer) is not 1 to \(last)")
    }
    var found: [Int: [Int]] = [:]
    for part in realm.objects(Part.self).where({ $0.writer == writer }) {
      found[part.deed, default: []].append(part.place)
      guard part.words == words(writer, part.deed, part.place),
        Array(part.numbers) == [part.deed, part.place], part.site?.coordinates.count == 2
      else {
        return (last, "part \(part.place) of deed \(part.deed) of writer \(writer) is another")
      }
    }
    let undone = Set((1..<last + 1).compactMap { Self.undone(by: $0) })
    for deed in 1..<last + 1 {
      let expected = undone.contains(deed) ? [] : Array(0..<parts(writer, deed))
      guard (found.removeValue(forKey: deed) ?? []).sorted() == expected else {
        return (last, "deed \(deed) of writer \(writer) is not whole")
      }
    }
    return (last, found.isEmpty ? nil : "parts of deeds \(found.keys.sorted()) of writer \(writer)")
  }
}
