import Cadastre
import CadastreTestSupport
import Foundation

/// A transaction of the library; the store contains each that was committed, with its version.
class Turn: Object {
  @Persisted(primaryKey: true) var id = ""
  @Persisted(indexed: true) var version = 0
  @Persisted var kind = 0
  /// The thread that made it.
  @Persisted var writer = ""
  @Persisted var source = 0
  @Persisted var target = 0
  @Persisted var amount = 0
}

/// An amount that transfers change; the sum of all is constant.
class Account: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var balance = 0
}

/// The number of increments of a writer.
class Tally: Object {
  @Persisted(primaryKey: true) var writer = ""
  @Persisted var count = 0
}

/// The versions of the newest transactions that appended theirs.
class Chain: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var versions: List<Int>
}

/// An object that a transaction adds, and a later one deletes.
class Sheet: Object {
  @Persisted(indexed: true) var number = 0
  @Persisted(fullText: true) var words = ""
}

/// An object that only the command line changes, see ``CardCommand``.
class Card: Object {
  @Persisted(primaryKey: true) var id = ""
  @Persisted(indexed: true) var owner = 0
  @Persisted var slot = 0
  @Persisted var step = 0
  @Persisted var text = ""
}

/// What a transaction of the library does.
struct TurnRecord {
  enum Kind: Int, CaseIterable {
    /// Moves an amount from one account to another.
    case transfer
    /// Increments the tally of the writer.
    case increment
    /// Appends the version to the chain, whose length is limited.
    case append
    /// Adds a sheet, and deletes the oldest of many.
    case sheet
  }

  let id: String
  let version: Int
  let kind: Kind
  let writer: String
  let source: Int
  let target: Int
  let amount: Int

  init?(_ turn: Turn) {
    guard let kind = Kind(rawValue: turn.kind) else { return nil }
    self.kind = kind
    (id, version, writer) = (turn.id, turn.version, turn.writer)
    (source, target, amount) = (turn.source, turn.target, turn.amount)
  }
}

/// A transaction that was cancelled on purpose.
struct CancelledTurn: Error {}

/// The classes of the store, and its transactions through the library.
enum IsolationWorkload {
  static let accounts = 8
  static let firstBalance = 1000
  /// The largest numbers of versions in the chain, and of sheets.
  static let (window, sheets) = (30, 20)

  static func configuration(_ path: String) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: path),
      objectTypes: [Turn.self, Account.self, Tally.self, Chain.self, Sheet.self, Card.self])
  }

  /// Creates a store.
  ///
  /// - Returns: Its version, after which each version is one transaction of the model.
  static func create(_ path: String) throws -> Int {
    let realm = try Realm(configuration: configuration(path))
    try realm.write {
      for id in 0..<accounts {
        realm.create(Account.self, value: ["id": id, "balance": firstBalance])
      }
      realm.create(Chain.self, value: ["id": 0])
    }
    return try version(of: realm)
  }

  /// The version that a Realm reads; in a transaction that before it.
  static func version(of realm: Realm) throws -> Int {
    try realm.sql("SELECT commit_version FROM cadastre_state")[0][0]
  }

  /// Makes a transaction in an open write transaction.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - writer: The thread that makes it.
  ///   - realm: The Realm.
  ///   - random: Decides what it does.
  /// - Returns: The version that it makes.
  /// - Throws: ``CancelledTurn`` after its changes, once in ten times.
  static func make(
    _ id: String, _ writer: String, _ realm: Realm, _ random: inout SeededGenerator
  ) throws -> Int {
    let version = try version(of: realm) + 1
    let kind = random.pick(TurnRecord.Kind.allCases)
    let (source, target) = (random.below(accounts), random.below(accounts))
    let amount = 1 + random.below(100)
    realm.create(
      Turn.self,
      value: [
        "id": id, "version": version, "kind": kind.rawValue, "writer": writer, "source": source,
        "target": target, "amount": amount,
      ])
    switch kind {
    case .transfer:
      realm.object(ofType: Account.self, forPrimaryKey: source)?.balance -= amount
      realm.object(ofType: Account.self, forPrimaryKey: target)?.balance += amount
    case .increment:
      let tally =
        realm.object(ofType: Tally.self, forPrimaryKey: writer)
        ?? realm.create(Tally.self, value: ["writer": writer])
      tally.count += 1
    case .append:
      guard let versions = realm.object(ofType: Chain.self, forPrimaryKey: 0)?.versions else {
        throw Failure("the chain is missing at version \(version - 1)")
      }
      versions.append(version)
      if versions.count > window { versions.removeFirst() }
    case .sheet:
      realm.create(Sheet.self, value: ["number": version, "words": words(version)])
      let all = realm.objects(Sheet.self).sorted(byKeyPath: "number")
      if all.count > sheets, let oldest = all.first { realm.delete(oldest) }
    }
    if random.oneIn(10) { throw CancelledTurn() }
    return version
  }

  static func words(_ number: Int) -> String { "sheet of version \(number)" }
}
