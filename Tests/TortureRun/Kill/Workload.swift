import Cadastre
import Foundation

/// The location of a part.
class Site: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
}

/// An object that a commit adds; it has every kind of index.
class Part: Object {
  @Persisted(indexed: true) var commit = 0
  @Persisted var writer = 0
  @Persisted var index = 0
  @Persisted(fullText: true) var words = ""
  @Persisted var site: Site?
  @Persisted var numbers: List<Int>
}

/// The commits of a writer.
class Ledger: Object {
  @Persisted(primaryKey: true) var writer = 0
  @Persisted var last = 0
  @Persisted var commits: List<Int>
  @Persisted var newest: Part?
}

/// The changes of each commit, as a function of the writer and of the commit's number: the number of
/// commits determines the expected content of the store.
enum Workload {
  static func configuration(_ path: String) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: path), objectTypes: [Ledger.self, Part.self, Site.self])
  }

  /// The number of parts that a commit adds.
  ///
  /// A few commits add so many that the spatial index is packed; these parts are deleted soon, so that checking all parts takes little time.
  static func parts(_ writer: Int, _ commit: Int) -> Int {
    writer == victim && commit % 40 == 16 ? 2100 : 1 + (commit * 7 + writer) % 5
  }

  /// The earlier commit whose parts a commit deletes; nil for none.
  static func deleted(by commit: Int) -> Int? { commit % 5 == 4 && commit > 5 ? commit - 3 : nil }

  /// The writer that is killed.
  static let victim = 0
  /// The writer that continues.
  static let companion = 1

  /// Makes the next commit of a writer; returns its number.
  static func next(_ writer: Int, _ realm: Realm) throws -> Int {
    try realm.write { change(writer, realm) }
  }

  /// Makes the changes of the next commit of a writer; returns its number.
  static func change(_ writer: Int, _ realm: Realm) -> Int {
    let ledger =
      realm.object(ofType: Ledger.self, forPrimaryKey: writer)
      ?? realm.create(Ledger.self, value: ["writer": writer])
    let commit = ledger.last + 1
    for index in 0..<parts(writer, commit) {
      ledger.newest = realm.create(
        Part.self,
        value: [
          "commit": commit, "writer": writer, "index": index,
          "words": words(writer, commit, index),
          "site": [
            "coordinates": [Double((commit * 31 + index) % 360) - 180, Double(commit % 180) - 90]
          ],
          "numbers": [commit, index],
        ])
    }
    if let deleted = deleted(by: commit) {
      realm.delete(realm.objects(Part.self).where { $0.commit == deleted && $0.writer == writer })
    }
    ledger.commits.append(commit)
    ledger.last = commit
    return commit
  }

  static func words(_ writer: Int, _ commit: Int, _ index: Int) -> String {
    "writer\(writer) commit\(commit) part \(index)"
  }

  /// Compares the objects of a writer with its commits.
  ///
  /// - Returns: The number of commits, and a sentence where the objects differ from those of these commits.
  static func fault(_ writer: Int, _ realm: Realm) -> (commits: Int, fault: String?) {
    let ledger = realm.object(ofType: Ledger.self, forPrimaryKey: writer)
    let last = ledger?.last ?? 0
    guard Array(ledger.map { Array($0.commits) } ?? []) == Array(1..<last + 1) else {
      return (last, "the ledger of writer \(writer) is not 1 to \(last)")
    }
    var found: [Int: [Int]] = [:]
    for part in realm.objects(Part.self).where({ $0.writer == writer }) {
      found[part.commit, default: []].append(part.index)
      guard part.words == words(writer, part.commit, part.index),
        Array(part.numbers) == [part.commit, part.index], part.site?.coordinates.count == 2
      else {
        return (
          last, "part \(part.index) of commit \(part.commit) of writer \(writer) has wrong values"
        )
      }
    }
    let deleted = Set((1..<last + 1).compactMap { Self.deleted(by: $0) })
    for commit in 1..<last + 1 {
      let expected = deleted.contains(commit) ? [] : Array(0..<parts(writer, commit))
      guard (found.removeValue(forKey: commit) ?? []).sorted() == expected else {
        return (last, "commit \(commit) of writer \(writer) is incomplete")
      }
    }
    let rest = "parts of commits \(found.keys.sorted()) of writer \(writer)"
    return (last, found.isEmpty ? nil : rest)
  }
}
