import Cadastre
import Foundation

/// A note of one commit of a writer; it has an index of every kind.
class SoakNote: Object {
  @Persisted(indexed: true) var commit = 0
  @Persisted(indexed: true) var writer = 0
  @Persisted(fullText: true) var words = ""
  @Persisted var site: Site?
  @Persisted var numbers: List<Int>
}

/// The number of commits of a writer.
class SoakCounter: Object {
  @Persisted(primaryKey: true) var writer = 0
  @Persisted var last = 0
}

/// Commits whose content the number of commits determines; the store keeps its size.
enum SoakWorkload {
  /// The number of commits whose notes are kept.
  static let window = 200
  private static let notesPerCommit = 3

  static func configuration(_ path: String) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: path),
      objectTypes: [SoakCounter.self, SoakNote.self, Site.self])
  }

  /// Makes the next commit of a writer, and deletes the notes of an old one.
  ///
  /// - Returns: Its number.
  /// - Throws: Where the commit fails.
  static func next(_ writer: Int, _ realm: Realm) throws -> Int {
    try realm.write {
      let counter =
        realm.object(ofType: SoakCounter.self, forPrimaryKey: writer)
        ?? realm.create(SoakCounter.self, value: ["writer": writer])
      let commit = counter.last + 1
      counter.last = commit
      for index in 0..<notesPerCommit {
        realm.create(
          SoakNote.self,
          value: [
            "commit": commit, "writer": writer, "words": words(writer, commit, index),
            "site": ["coordinates": [Double(commit % 360) - 180, Double(index)]],
            "numbers": [commit, index],
          ])
      }
      realm.delete(
        realm.objects(SoakNote.self).where {
          $0.writer == writer && $0.commit <= commit - window
        })
      return commit
    }
  }

  private static func words(_ writer: Int, _ commit: Int, _ index: Int) -> String {
    "writer\(writer) commit\(commit) note\(index)"
  }

  /// Compares the notes of a writer with its number of commits.
  ///
  /// - Returns: The number of commits, and a sentence where the notes differ.
  static func fault(_ writer: Int, _ realm: Realm) -> (commits: Int, fault: String?) {
    let last = realm.object(ofType: SoakCounter.self, forPrimaryKey: writer)?.last ?? 0
    var found: [Int: Int] = [:]
    for note in realm.objects(SoakNote.self).where({ $0.writer == writer }) {
      let numbers = Array(note.numbers)
      guard numbers.count == 2, numbers[0] == note.commit,
        note.words == words(writer, note.commit, numbers[1]), note.site?.coordinates.count == 2
      else { return (last, "a note of commit \(note.commit) of writer \(writer) is wrong") }
      found[note.commit, default: 0] += 1
    }
    let expected = max(1, last - window + 1)..<last + 1
    guard found.count == expected.count,
      expected.allSatisfy({ found[$0] == notesPerCommit })
    else { return (last, "the notes of writer \(writer) are not those of \(expected)") }
    return (last, nil)
  }
}
