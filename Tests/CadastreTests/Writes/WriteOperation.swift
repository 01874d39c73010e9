import Cadastre
import CadastreTestSupport
import Foundation

/// One change in a write transaction, which a model and a Realm can make.
enum WriteOperation: Sendable {
  /// Creates plots with all their values, by `create(_:value:)` or by `add(_:)`.
  case create([WriteModel.Plot], adding: Bool)
  /// Creates leaves, and sets the value of each after its creation.
  case createLeaves([WriteModel.Leaf])
  /// Creates plots, each followed by a leaf whose initializer counts the plots.
  case createPairs([Int], firstSerial: Int)
  /// Creates or changes plots by `create(_:value:update:)` with some properties.
  case upsert([Int], [WriteField], all: Bool)
  /// Sets properties of a plot, one after the other.
  case set(Int, [WriteField])
  /// Sets a property of each plot from a rank on in a loop, and reads it before.
  case setInLoop(rank: Int, add: Int)
  /// Sets one property of several plots, in the order of their keys.
  case setEach([Int], WriteField)
  /// Sets a property of all plots of a rank.
  case setValue(rank: Int, number: Int)
  /// Sets the value and the link of a leaf.
  case setLeaf(Int, value: Int, plot: Int?)
  case edit(Int, [CollectionEdit])
  case delete(Int)
  case deleteLeaf(Int)
  /// Deletes the plots of a rank.
  case deleteRank(Int)
  case deleteAllLeaves
  case deleteAll

  /// Which rows an operation has made, and which it has removed.
  struct Effect: Sendable {
    var created: Set<Int> = []
    var removed: Set<Int> = []

    mutating func add(_ later: Effect) {
      created.formUnion(later.created)
      removed.formUnion(later.removed)
    }
  }
}

// MARK: Random operations

extension WriteOperation {
  /// The greatest primary key of a plot.
  private static let mostPlots = 48

  /// Makes an operation that can be applied to a content.
  static func random(_ model: WriteModel, _ random: inout SeededGenerator) -> WriteOperation {
    let ids = model.ids()
    guard ids.count > 3 else { return create(model, 8, &random) }
    let id = random.pick(ids)
    switch random.below(40) {
    case 0...3: return create(model, 1 + random.below(4), &random)
    // Long enough for a second thread with small capacities.
    case 4: return create(model, 30, &random)
    case 5, 6: return createLeaves(model, random.oneIn(3) ? 40 : 3, &random)
    case 7, 8:
      let free = freeIds(model, 1 + random.below(6), &random)
      return .createPairs(free, firstSerial: model.nextSerial)
    case 9...12:
      let chosen = (0..<random.below(8)).map { _ in random.below(mostPlots) }
      let fields = fields(ids, random.below(4), &random)
      return .upsert(chosen + [id], fields, all: random.oneIn(2))
    case 13...18: return .set(id, [WriteField.random(ids, &random)])
    case 19, 20: return .set(id, fields(ids, 4, &random))
    case 21, 22: return .setInLoop(rank: random.below(5), add: 1 + random.below(9))
    case 23, 24:
      let chosen = ids.filter { _ in random.oneIn(2) }
      return .setEach(chosen, WriteField.random(ids, &random))
    case 25: return .setValue(rank: random.below(5), number: random.below(100))
    case 26:
      guard let serial = model.leaves.keys.sorted().randomElement(using: &random) else {
        return createLeaves(model, 3, &random)
      }
      return .setLeaf(serial, value: random.below(100), plot: random.oneIn(3) ? nil : id)
    case 27...33:
      return .edit(id, (0...random.below(5)).map { _ in CollectionEdit.random(ids, &random) })
    case 34, 35: return .delete(id)
    case 36:
      guard let serial = model.leaves.keys.sorted().randomElement(using: &random) else {
        return .delete(id)
      }
      return .deleteLeaf(serial)
    case 37: return .deleteRank(random.below(5))
    case 38: return random.oneIn(3) ? .deleteAllLeaves : .delete(id)
    default: return random.oneIn(6) ? .deleteAll : .set(id, fields(ids, 2, &random))
    }
  }

  private static func freeIds(
    _ model: WriteModel, _ count: Int, _ random: inout SeededGenerator
  ) -> [Int] {
    let free = (0..<mostPlots).filter { model.plots[$0] == nil }.shuffled(using: &random)
    return Array(free.prefix(count))
  }

  /// Makes values of different properties.
  private static func fields(
    _ ids: [Int], _ count: Int, _ random: inout SeededGenerator
  ) -> [WriteField] {
    var fields: [String: WriteField] = [:]
    for _ in 0..<count {
      let field = WriteField.random(ids, &random)
      fields[field.key] = field
    }
    return fields.keys.sorted().compactMap { fields[$0] }
  }

  private static func create(
    _ model: WriteModel, _ count: Int, _ random: inout SeededGenerator
  ) -> WriteOperation {
    let ids = model.ids()
    let plots = freeIds(model, count, &random).map { id in
      var plot = WriteModel.Plot(id: id)
      for field in fields(ids, 6, &random) { field.set(in: &plot) }
      if !ids.isEmpty, random.oneIn(2) {
        for _ in 0..<random.below(6) { CollectionEdit.random(ids, &random).apply(to: &plot) }
      }
      return plot
    }
    return .create(plots, adding: random.oneIn(2))
  }

  private static func createLeaves(
    _ model: WriteModel, _ count: Int, _ random: inout SeededGenerator
  ) -> WriteOperation {
    let first = model.nextSerial
    let ids = model.ids()
    return .createLeaves(
      (0..<count).map { index in
        WriteModel.Leaf(
          serial: first + index, value: random.below(100),
          plot: random.oneIn(2) ? nil : random.pick(ids))
      })
  }
}

// MARK: The model

extension WriteOperation {
  /// Changes the model.
  func apply(to model: inout WriteModel) -> Effect {
    var effect = Effect()
    switch self {
    case .create(let plots, _):
      for plot in plots { model.plots[plot.id] = plot }
      effect.created = Set(plots.map(\.id))
    case .createLeaves(let leaves):
      for leaf in leaves { model.leaves[leaf.serial] = leaf }
      effect.created = Set(leaves.map(\.serial))
    case .createPairs(let ids, let firstSerial):
      for (index, id) in ids.enumerated() {
        let serial = firstSerial + index
        model.plots[id] = WriteModel.Plot(id: id)
        model.leaves[serial] = WriteModel.Leaf(serial: serial, value: 0, plot: id)
        effect.created.formUnion([id, serial])
      }
    case .upsert(let ids, let fields, let all):
      for id in ids {
        if model.plots[id] == nil { effect.created.insert(id) }
        // The policy `all` sets properties that the dictionary does not name to their defaults.
        let existing = all ? nil : model.plots[id]
        var plot = existing ?? WriteModel.Plot(id: id)
        for field in fields { field.set(in: &plot) }
        model.plots[id] = plot
      }
    case .set(let id, let fields):
      for field in fields { field.set(in: &model.plots[id, default: WriteModel.Plot(id: id)]) }
    case .setInLoop(let rank, let add):
      for id in model.ids(where: { $0.rank >= rank }) { model.plots[id]?.number += add }
    case .setEach(let ids, let field):
      for id in ids { field.set(in: &model.plots[id, default: WriteModel.Plot(id: id)]) }
    case .setValue(let rank, let number):
      for id in model.ids(where: { $0.rank == rank }) { model.plots[id]?.number = number }
    case .setLeaf(let serial, let value, let plot):
      model.leaves[serial]?.value = value
      model.leaves[serial]?.plot = plot
    case .edit(let id, let edits):
      for edit in edits { edit.apply(to: &model.plots[id, default: WriteModel.Plot(id: id)]) }
    case .delete(let id): effect.removed = [id]
    case .deleteRank(let rank): effect.removed = Set(model.ids(where: { $0.rank == rank }))
    case .deleteLeaf(let serial): effect.removed = [serial]
    case .deleteAllLeaves: effect.removed = Set(model.leaves.keys)
    case .deleteAll: effect.removed = Set(model.plots.keys).union(model.leaves.keys)
    }
    model.deletePlots(effect.removed.filter { $0 < WriteModel.firstSerial })
    for serial in effect.removed { model.leaves[serial] = nil }
    return effect
  }
}

// MARK: The Realm

extension WriteOperation {
  /// Changes the Realm of held instances.
  ///
  /// - Throws: ``WriteFailure`` where a read of the operation finds another value than a model would.
  func apply(to held: HeldObjects) throws(WriteFailure) {
    let realm = held.realm
    switch self {
    case .create(let plots, let adding):
      for plot in plots { held.keep(try Self.create(plot, adding: adding, held), plot.id) }
    case .createLeaves(let leaves): for leaf in leaves { try Self.create(leaf, held) }
    case .createPairs(let ids, let firstSerial): try Self.createPairs(ids, firstSerial, held)
    case .upsert(let ids, let fields, let all):
      for id in ids {
        var values: [String: Any?] = ["id": id]
        for field in fields { values[field.key] = .some(try field.value(held)) }
        let plot = realm.create(WritePlot.self, value: values, update: all ? .all : .modified)
        try WriteFailure.require(plot.id, is: id)
      }
    case .set(let id, let fields):
      let plot = try held.plot(id)
      for field in fields { try field.set(in: plot, held) }
    case .setInLoop(let rank, let add):
      for plot in realm.objects(WritePlot.self).where({ $0.rank >= rank }).sorted(by: \.id) {
        plot.number += add
      }
    case .setEach(let ids, let field):
      for id in ids { try field.set(in: try held.plot(id), held) }
    case .setValue(let rank, let number):
      realm.objects(WritePlot.self).where { $0.rank == rank }.setValue(number, forKey: "number")
    case .setLeaf(let serial, let value, let plot):
      let leaf = try held.leaf(serial)
      leaf.value = value
      if let plot { leaf.plot = try held.plot(plot) } else { leaf.plot = nil }
    case .edit(let id, let edits):
      let plot = try held.plot(id)
      for edit in edits { try edit.apply(to: plot, held) }
    case .delete(let id): realm.delete(try held.plot(id))
    case .deleteLeaf(let serial): realm.delete(try held.leaf(serial))
    case .deleteRank(let rank):
      realm.delete(realm.objects(WritePlot.self).where { $0.rank == rank })
    case .deleteAllLeaves: realm.delete(realm.objects(WriteLeaf.self))
    case .deleteAll: realm.deleteAll()
    }
  }

  private static func create(
    _ model: WriteModel.Plot, adding: Bool, _ held: HeldObjects
  ) throws(WriteFailure) -> WritePlot {
    var best: WritePlot?
    if let id = model.best { best = try held.plot(id) }
    var links: [WritePlot] = []
    for id in model.links { links.append(try held.plot(id)) }
    let values: [String: Any?] = [
      "id": model.id, "rank": model.rank, "number": model.number, "name": model.name,
      "words": model.words, "size": model.size, "date": model.date, "bytes": model.bytes,
      "flag": model.flag, "any": model.any.value, "spot": model.spot?.dictionary,
      "numbers": model.numbers, "tags": Array(model.tags), "marks": model.marks,
      "cover": model.cover?.dictionary, "parts": model.parts.map(\.dictionary),
    ]
    guard adding else {
      let linked: [String: Any?] = ["best": best, "links": links]
      return held.realm.create(WritePlot.self, value: values.merging(linked) { $1 })
    }
    let plot = WritePlot(value: values)
    plot.best = best
    plot.links.append(objectsIn: links)
    held.realm.add(plot)
    return plot
  }

  private static func create(
    _ model: WriteModel.Leaf, _ held: HeldObjects
  ) throws(WriteFailure) {
    let leaf = held.realm.create(WriteLeaf.self, value: ["serial": model.serial])
    leaf.value = model.value
    if let plot = model.plot { leaf.plot = try held.plot(plot) }
    held.keep(leaf, model.serial)
  }

  private static func createPairs(
    _ ids: [Int], _ firstSerial: Int, _ held: HeldObjects
  ) throws(WriteFailure) {
    let realm = held.realm
    let before = realm.objects(WritePlot.self).count
    for (index, id) in ids.enumerated() {
      let plot = realm.create(WritePlot.self, value: ["id": id])
      held.keep(plot, id)
      let reads = InitializerReads(realm)
      reads.run {
        let value: [String: Any] = ["serial": firstSerial + index, "plot": plot]
        held.keep(realm.create(WriteLeaf.self, value: value), firstSerial + index)
      }
      // An initializer may run more often than once.
      try WriteFailure.require(Set(reads.counts), is: [before + index + 1])
    }
  }
}
