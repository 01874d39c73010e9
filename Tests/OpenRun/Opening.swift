import Cadastre
import Foundation

class Item: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var number = 0
  @Persisted var words: List<String>
}

/// Opens Realms on its own isolation.
actor Opener {
  func count(_ configuration: Realm.Configuration) async throws -> Int {
    let realm = try await Realm.open(configuration: configuration)
    return try realm.throwingReadErrors { realm.objects(Item.self).where { $0.number > 3 }.count }
  }

  func firstChange(_ configuration: Realm.Configuration) async throws -> Int {
    let realm = try await Realm.open(configuration: configuration)
    for await change in realm.objects(Item.self).changes() {
      guard case .initial(let items) = change else { break }
      return items.count
    }
    return 0
  }
}

/// Opens and closes Realms of several files and of one file, from many tasks.
struct Opening: Sendable {
  let files: [Realm.Configuration]
  let shared = Opener()

  /// Creates the files in a folder, each with ten objects.
  init(in folder: URL) throws {
    files = (0..<8).map { index in
      Realm.Configuration(
        fileURL: folder.appendingPathComponent("\(index).cadastre"), objectTypes: [Item.self])
    }
    for file in files {
      let realm = try Realm(configuration: file)
      try realm.write {
        for id in 0..<10 {
          realm.create(Item.self, value: ["id": id, "number": id, "words": ["a", "b"]])
        }
      }
    }
  }

  /// Opens Realms from 16 tasks at the same time.
  func run(_ count: Int) async throws {
    let tasks = 16
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          let opener = Opener()
          for number in stride(from: task, to: count, by: tasks) { try await open(number, opener) }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Opens a Realm in one of the ways of a server; it is closed at the end.
  private func open(_ number: Int, _ opener: Opener) async throws {
    // Half of the time the file that all tasks use, otherwise one of several.
    let file = files[number % 2 == 0 ? 0 : number / 2 % files.count]
    let found: Int
    switch number % 11 {
    case 0, 1, 2, 3: found = try read(file)
    case 4, 5: found = try await opener.count(file)
    case 6: found = try await shared.count(file)
    case 7: found = try await frozen(file)
    case 8: found = try await reference(file)
    case 9: found = try await opener.firstChange(file)
    default: found = number % 1001 == 10 ? try write(file) : try read(file)
    }
    guard found > 0 else { throw OpeningError(number: number) }
  }

  private func read(_ file: Realm.Configuration) throws -> Int {
    let realm = try Realm(configuration: file)
    return try realm.throwingReadErrors {
      let items = realm.objects(Item.self)
      return items.count + (items.first?.words.count ?? 0)
    }
  }

  private func write(_ file: Realm.Configuration) throws -> Int {
    let realm = try Realm(configuration: file)
    return try realm.write {
      realm.create(Item.self, value: ["id": 1, "number": 1], update: .modified).id
    }
  }

  /// Another task reads frozen results, also after the Realm that froze them is closed.
  private func frozen(_ file: Realm.Configuration) async throws -> Int {
    let items = Frozen(try Realm(configuration: file).objects(Item.self))
    return await Task.detached { items.value.where { $0.number > 3 }.count }.value
  }

  /// Another task resolves a reference; a second one is dropped.
  private func reference(_ file: Realm.Configuration) async throws -> Int {
    let realm = try Realm(configuration: file)
    let reference = ThreadSafeReference(to: realm.objects(Item.self))
    let dropped = realm.objects(Item.self).first.map { ThreadSafeReference(to: $0) }
    let count = try await Task.detached {
      try Realm(configuration: file).resolve(reference)?.count ?? 0
    }.value
    return dropped == nil ? 0 : count
  }
}

/// A Realm that was opened and had no objects.
struct OpeningError: Error, CustomStringConvertible {
  let number: Int
  var description: String { "opening \(number) found no objects" }
}
