import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Collections in the store agree with plain arrays and dictionaries.
@Suite struct CollectionModelTests {
  @Test(arguments: Seeds.usual(1...4))
  func `random changes agree with a plain model`(seed: UInt64) throws {
    var values = RandomValues(seed: seed)
    let folder = try TestFolder()
    let path = folder.file("model.cadastre")
    var models: [String: [ObjectKey: CollectionModel]] = [:]
    var owners: [ObjectKey] = []
    try {
      let file = try OpenStores.store(at: path)
      try file.prepare(for: EveryKind.schema)
      let transaction = try file.beginWrite()
      for _ in 0..<2 {
        owners.append(try transaction.insert("Thing", object: [:]))
      }
      for layout in try transaction.layout("Thing").collections where layout.target == nil {
        for owner in owners {
          models["\(layout.path)", default: [:]][owner] = CollectionModel(kind: layout.kind)
        }
      }
      try transaction.commit()
    }()

    for round in 0..<12 {
      let file = try OpenStores.store(at: path)
      let transaction = try file.beginWrite()
      let before = models
      for _ in 0..<250 {
        let layout = values.random.pick(
          try transaction.layout("Thing").collections.filter { $0.target == nil })
        let owner = values.random.pick(owners)
        var model = try #require(models["\(layout.path)"]?[owner])
        try change(layout, owner, &model, transaction, &values)
        models["\(layout.path)"]?[owner] = model
      }
      if values.random.oneIn(4) {
        transaction.rollback()
        models = before
      } else {
        if values.random.oneIn(2) { try compare(models, transaction.flush(.indexes), seed, round) }
        try transaction.commit()
      }
      let snapshot = try file.snapshot()
      try compare(models, snapshot, seed, round)
      for layout in try snapshot.layout("Thing").collections {
        #expect(try snapshot.faults(layout) == [], "seed \(seed), round \(round)")
      }
      let problems = try StoreCheck(snapshot).problems()
      #expect(problems == [], "seed \(seed), round \(round)")
    }
  }

  private func compare(
    _ models: [String: [ObjectKey: CollectionModel]], _ reader: any StoreReader, _ seed: UInt64,
    _ round: Int
  ) throws {
    for (name, byOwner) in models {
      let layout = try reader.collection("Thing", name)
      for (owner, model) in byOwner {
        #expect(
          try reader.model(layout, owner) == model, "seed \(seed), round \(round): \(name)")
      }
    }
  }

  private func change(
    _ layout: CollectionLayout, _ owner: ObjectKey, _ model: inout CollectionModel,
    _ transaction: WriteTransaction, _ values: inout RandomValues
  ) throws {
    let type = layout.element.type
    let count = model.elements.count
    var value = values.random.oneIn(8) ? .null : values.value(type)
    if layout.kind == .set, value.depth > 0 { value = .null }
    if values.random.oneIn(30) {
      try transaction.removeAll(from: layout, of: owner)
      model = CollectionModel(kind: layout.kind)
      return
    }
    switch layout.kind {
    case .set:
      if values.random.oneIn(4) {
        let chosen =
          count > 0 && values.random.oneIn(2) ? values.random.pick(model.elements) : value
        let removed = try transaction.remove(chosen, from: layout, of: owner)
        #expect(removed == model.remove(chosen), "\(chosen)")
      } else {
        let inserted = try transaction.insert(value, into: layout, of: owner)
        #expect(inserted == model.insert(value), "\(value) into \(model.elements)")
      }
    case .map:
      let key = values.key()
      if values.random.oneIn(4) {
        let removed = try transaction.remove(key: key, from: layout, of: owner)
        #expect(removed == model.remove(key: key))
      } else {
        try transaction.set(value, forKey: key, in: layout, of: owner)
        model.set(value, forKey: key)
      }
    case .list:
      switch values.random.below(6) {
      case 0 where count > 0:
        let lower = values.random.below(count)
        let range = lower..<min(count, lower + 1 + values.random.below(3))
        try transaction.remove(range, from: layout, of: owner)
        model.elements.removeSubrange(range)
      case 1 where count > 0:
        let index = values.random.below(count)
        try transaction.replace(at: index, with: value, in: layout, of: owner)
        model.elements[index] = value
      case 2 where count > 0:
        let (from, to) = (values.random.below(count), values.random.below(count))
        try transaction.move(from: from, to: to, in: layout, of: owner)
        model.elements.insert(model.elements.remove(at: from), at: to)
      default:
        let new = (0...values.random.below(4)).map { $0 == 0 ? value : values.value(type) }
        let index = values.random.oneIn(3) ? count : values.random.below(count + 1)
        try transaction.insert(new, at: index, into: layout, of: owner)
        model.elements.insert(contentsOf: new, at: index)
      }
    }
  }

  // A set of decimals or doubles contained each bit pattern of NaN as a separate element.
  @Test func `NaN is one element, and so are equal numbers of different types`() throws {
    let file = try TestStore.temporary(EveryKind.schema)
    let transaction = try file.beginWrite()
    let owner = try transaction.insert("Thing", object: [:])
    let any = try transaction.collection("Thing", "mixed_set")
    let doubles = try transaction.collection("Thing", "double_set")
    let nan = Double(bitPattern: 0xFFF8_0000_DEAD_BEEF)

    #expect(try transaction.insert(.double(.nan), into: doubles, of: owner))
    #expect(try !transaction.insert(.double(nan), into: doubles, of: owner))
    #expect(try transaction.insert(.float(.nan), into: any, of: owner))
    #expect(try !transaction.insert(.double(nan), into: any, of: owner))
    #expect(try !transaction.insert(.decimal(.init(parsing: "NaN") ?? 0), into: any, of: owner))
    #expect(try transaction.insert(.int(1), into: any, of: owner))
    #expect(try !transaction.insert(.double(1), into: any, of: owner))
    #expect(try !transaction.insert(.decimal(1), into: any, of: owner))
    #expect(try transaction.insert(.bool(true), into: any, of: owner))
    #expect(try transaction.insert(.string("a"), into: any, of: owner))
    #expect(try transaction.insert(.data(Data("a".utf8)), into: any, of: owner))
    #expect(try transaction.insert(.double(-0.0), into: any, of: owner))
    #expect(try !transaction.insert(.int(0), into: any, of: owner))
    #expect(try transaction.model(any, owner).elements.count == 6)
  }
}
