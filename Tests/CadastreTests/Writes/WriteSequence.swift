import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Foundation
import TestingSupport

@testable import Cadastre

/// A random sequence of transactions on one Realm and others; each step is compared with a model.
///
/// It runs in the queue of its Realm, so that nothing else moves the Realm.
final class WriteSequence {
  /// How a transaction ends.
  enum Ending {
    case commit, commitQuietly, block, cancel, thrownError, cancelInBlock, fullDisk

    static func random(_ random: inout SeededGenerator) -> Ending {
      switch random.below(16) {
      case 0...5: .commit
      case 6, 7: .commitQuietly
      case 8...10: .block
      case 11, 12: .cancel
      case 13: .thrownError
      case 14: .cancelInBlock
      default: random.oneIn(2) ? .fullDisk : .cancel
      }
    }
  }

  private struct Undone: Error {}

  private let configuration: Realm.Configuration
  private let realm: Realm
  private let held: HeldObjects
  private var random: SeededGenerator
  /// The content that the Realm must have.
  private var model = WriteModel()
  /// The content before the move that may be under way; the beginning of a write first delivers it.
  private var modelBeforeMove: WriteModel?
  /// The content of the last commit.
  private(set) var committed = WriteModel()
  /// What other Realms have done since this Realm moved.
  private var effectElsewhere = WriteOperation.Effect()
  /// What the open transaction has done.
  private var effect = WriteOperation.Effect()
  private var token: NotificationToken?
  /// The first difference that an observer has found.
  private var observed: WriteFailure?
  /// The number of calls of the observer.
  private(set) var observations = 0
  /// The number of the operation.
  private(set) var step = 0
  /// What runs now.
  private(set) var current = "the beginning"
  /// The operations since the last commit.
  private(set) var operations: [String] = []

  init(_ realm: Realm, seed: UInt64) {
    configuration = realm.configuration
    self.realm = realm
    held = HeldObjects(realm)
    random = SeededGenerator(seed: seed)
  }

  // MARK: The sequence

  /// Runs transactions, with reads in them and between them.
  ///
  /// - Throws: ``WriteFailure``, or an error of the store.
  func run(transactions: Int) throws {
    observe()
    defer { token = nil }
    for _ in 0..<transactions {
      try transaction(Ending.random(&random))
      try read()
      try readCommit()
      switch random.below(6) {
      case 0, 1:
        try commitElsewhere()
        try read()
        if random.oneIn(2) { try refresh() }
      case 2: try refresh()
      default: break
      }
      try read()
      if let observed { throw observed }
    }
    try refresh()
    current = "the end"
    try WriteFailure.require(content: WriteModel(reading: realm), is: model)
    try held.checkInvalidation()
    let problems = try StoreCheck(realm.core.file.snapshot()).problems()
    try WriteFailure.require(problems, is: [])
  }

  private func observe() {
    token = realm.objects(WritePlot.self).where { $0.rank > 1 }.observe { [unowned self] change in
      observations += 1
      switch change {
      case .initial(let plots), .update(let plots, _, _, _):
        let expected = model.ids { $0.rank > 1 }
        let found = plots.map(\.id).sorted()
        let earlier = modelBeforeMove?.ids { $0.rank > 1 }
        if found != expected, found != earlier, observed == nil {
          observed = WriteFailure(
            expected: "\(expected) in an observer", found: "\(found), during \(current)")
        }
      case .error(let error):
        observed = WriteFailure(expected: "a notification", found: "\(error)")
      }
    }
  }

  // MARK: Transactions

  private func transaction(_ ending: Ending) throws {
    operations = []
    let before = committed
    // A transaction sees the newest version.
    noteMove()
    effect = WriteOperation.Effect()
    switch ending {
    case .commit, .commitQuietly:
      begin()
      try change()
      current = "\(ending)"
      try realm.commitWrite(
        withoutNotifying: ending == .commitQuietly ? token.map { [$0] } ?? [] : [])
      committed = model
    case .block:
      try realm.write { try change() }
      committed = model
    case .cancel:
      begin()
      try change()
      cancel(before)
    case .thrownError:
      do {
        try realm.write { () throws -> Void in
          try change()
          current = "thrownError"
          undo(before)
          throw Undone()
        }
      } catch is Undone {}
    case .cancelInBlock:
      try realm.write {
        try change()
        cancel(before)
        effect = WriteOperation.Effect()
        begin()
        try change()
      }
      committed = model
    case .fullDisk: try failOnFullDisk(before)
    }
    try WriteFailure.require(realm.isInWriteTransaction, is: false)
    // A Realm without a snapshot opens one with the first read, before another Realm commits.
    try WriteRead.counts.check(held, model, &random)
    try held.checkInvalidation()
  }

  private func begin() {
    current = "beginWrite"
    realm.beginWrite()
  }

  private func cancel(_ before: WriteModel) {
    current = "cancelWrite"
    // Observers may be called by the end of the transaction.
    undo(before)
    realm.cancelWrite()
  }

  /// Undoes the transaction in the model.
  private func undo(_ before: WriteModel) {
    model = before
    held.expectInvalidated(effect.created)
  }

  /// Makes random changes, each followed by a read.
  private func change() throws {
    modelBeforeMove = nil
    for _ in 0...random.below(7) {
      let operation = WriteOperation.random(model, &random)
      step += 1
      current = "step \(step), \(operation)"
      operations.append("\(operation)")
      let made = operation.apply(to: &model)
      effect.add(made)
      try operation.apply(to: held)
      held.expectInvalidated(made.removed)
      // Without a read, several operations wait together.
      if !random.oneIn(3) { try read() }
      if random.oneIn(12) { try WriteFailure.require(realm.refresh(), is: false) }
    }
  }

  /// Makes changes, and fails to write more of them.
  private func failOnFullDisk(_ before: WriteModel) throws {
    begin()
    try change()
    current = "a full disk"
    guard let connection = try realm.core.transaction?.flush(.rows).connection else {
      throw WriteFailure(expected: "a transaction", found: "none")
    }
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    try connection.run("PRAGMA cache_size = 4")
    try connection.run("PRAGMA max_page_count = \(pages)")
    for id in 1000..<1200 {
      realm.create(WritePlot.self, value: ["id": id, "bytes": Data(count: 5000)] as [String: Any])
    }
    undo(before)
    do {
      try realm.commitWrite()
      throw WriteFailure(expected: "an error of a full disk", found: "a commit")
    } catch let error as Realm.Error {
      try WriteFailure.require(error.code, is: .outOfDiskSpace)
    }
    let writer = try realm.core.file.beginWrite()
    try writer.connection.run("PRAGMA max_page_count = 1073741823")
    writer.rollback()
  }

  // MARK: Other Realms

  /// Changes the store with a Realm of another thread.
  private func commitElsewhere() throws {
    let (configuration, start, generator) = (configuration, committed, random)
    current = "a commit on another thread"
    let (end, made, later) = try onNewThread {
      var (model, random, effect) = (start, generator, WriteOperation.Effect())
      let held = HeldObjects(try Realm(configuration: configuration))
      try held.realm.write {
        for _ in 0...random.below(4) {
          let operation = WriteOperation.random(model, &random)
          let made = operation.apply(to: &model)
          try operation.apply(to: held)
          held.expectInvalidated(made.removed)
          effect.add(made)
        }
      }
      try WriteFailure.require(content: WriteModel(reading: held.realm), is: model)
      return (model, effect, random)
    }
    random = later
    committed = end
    effectElsewhere.add(made)
  }

  private func refresh() throws {
    current = "refresh"
    noteMove()
    realm.refresh()
    modelBeforeMove = nil
    try held.checkInvalidation()
  }

  /// Notes that the Realm is about to move to the newest version.
  private func noteMove() {
    modelBeforeMove = model
    model = committed
    held.expectInvalidated(effectElsewhere.removed)
    effectElsewhere = WriteOperation.Effect()
  }

  // MARK: Reads

  /// Reads what the Realm sees in a random way.
  private func read() throws {
    if random.oneIn(12) { return try readFrozen() }
    let read = random.pick(WriteRead.allCases)
    let before = current
    current = "\(before), then the read \(read)"
    try read.check(held, model, &random)
    current = before
  }

  /// Reads the frozen Realm, which has the last version that this Realm has seen committed.
  private func readFrozen() throws {
    let before = current
    current = "\(before), then the frozen Realm"
    let expected = realm.isInWriteTransaction ? committed : model
    try WriteFailure.require(content: WriteModel(reading: realm.freeze()), is: expected)
    current = before
  }

  /// Reads the last commit on another thread, or by SQL.
  private func readCommit() throws {
    let before = current
    switch random.below(6) {
    case 0:
      current = "\(before), then a Realm of another thread"
      let configuration = configuration
      let found = try onNewThread {
        WriteModel(reading: try Realm(configuration: configuration))
      }
      try WriteFailure.require(content: found, is: committed)
    case 1:
      current = "\(before), then a second connection"
      try StoredRows(configuration.fileURL?.path ?? "").check(committed)
    default: break
    }
    current = before
  }
}
