import Cadastre
import Foundation

/// The content of a store as plain dictionaries, which say what the store must contain.
struct WriteModel: Equatable, Sendable {
  struct Spot: Hashable, Sendable {
    var longitude: Double
    var latitude: Double
  }

  struct Part: Equatable, Sendable {
    var text: String
    var weight: Int
  }

  enum Mixed: Equatable, Sendable {
    case none
    case int(Int)
    case string(String)
    case double(Double)
  }

  /// An object with a primary key, with its links by their keys.
  struct Plot: Equatable, Sendable {
    var id: Int
    var rank = 0
    var number = 0
    var name: String?
    var words = ""
    var size = 0.0
    var date = Date(timeIntervalSince1970: 0)
    var bytes = Data()
    var flag = false
    var any = Mixed.none
    var spot: Spot?
    var best: Int?
    var links: [Int] = []
    var numbers: [Int] = []
    var tags: Set<String> = []
    var marks: [String: Int] = [:]
    var cover: Part?
    var parts: [Part] = []
  }

  /// An object without a primary key.
  struct Leaf: Equatable, Sendable {
    var serial: Int
    var value: Int
    var plot: Int?
  }

  /// The plots by their primary keys.
  var plots: [Int: Plot] = [:]
  /// The leaves by their serial numbers.
  var leaves: [Int: Leaf] = [:]

  /// The serial numbers are above this number, and the primary keys below it.
  static let firstSerial = 1_000_000

  /// The number of the next leaf.
  var nextSerial: Int { (leaves.keys.max() ?? Self.firstSerial) + 1 }

  /// The keys of the plots that match a condition, ascending.
  func ids(where condition: (Plot) -> Bool = { _ in true }) -> [Int] {
    plots.values.filter(condition).map(\.id).sorted()
  }

  /// Deletes plots, and the links to them.
  mutating func deletePlots(_ ids: Set<Int>) {
    for id in ids { plots[id] = nil }
    for id in plots.keys {
      if let best = plots[id]?.best, ids.contains(best) { plots[id]?.best = nil }
      plots[id]?.links.removeAll { ids.contains($0) }
    }
    for serial in leaves.keys {
      if let plot = leaves[serial]?.plot, ids.contains(plot) { leaves[serial]?.plot = nil }
    }
  }

  /// Returns the first difference to another content; nil where they are equal.
  func difference(to other: WriteModel) -> (expected: String, found: String)? {
    for id in Set(plots.keys).union(other.plots.keys).sorted() where plots[id] != other.plots[id] {
      return ("\(plots[id] as Any)", "\(other.plots[id] as Any)")
    }
    for serial in Set(leaves.keys).union(other.leaves.keys).sorted()
    where leaves[serial] != other.leaves[serial] {
      return ("\(leaves[serial] as Any)", "\(other.leaves[serial] as Any)")
    }
    return nil
  }
}

// MARK: Reading objects

extension WriteModel {
  /// Reads all objects of a Realm.
  init(reading realm: Realm) {
    for plot in realm.objects(WritePlot.self) { plots[plot.id] = Plot(plot) }
    for leaf in realm.objects(WriteLeaf.self) { leaves[leaf.serial] = Leaf(leaf) }
  }

  /// Reads all objects of a Realm with the next version of the schema.
  init(readingNext realm: Realm) {
    for plot in realm.objects(NextWriteClasses.WritePlot.self) { plots[plot.id] = Plot(plot) }
    for leaf in realm.objects(NextWriteClasses.WriteLeaf.self) {
      leaves[leaf.serial] = Leaf(serial: leaf.serial, value: leaf.value, plot: leaf.plot?.id)
    }
  }
}

extension WriteModel.Plot {
  init(_ plot: WritePlot) {
    id = plot.id
    rank = plot.rank
    number = plot.number
    name = plot.name
    words = plot.words
    size = plot.size
    date = plot.date
    bytes = plot.bytes
    flag = plot.flag
    any = WriteModel.Mixed(plot.any)
    spot = plot.spot.map { WriteModel.Spot($0.coordinates) }
    best = plot.best?.id
    links = plot.links.map(\.id)
    numbers = Array(plot.numbers)
    tags = Set(plot.tags)
    for key in plot.marks.keys { marks[key] = plot.marks[key] }
    cover = plot.cover.map { WriteModel.Part(text: $0.text, weight: $0.weight) }
    parts = plot.parts.map { WriteModel.Part(text: $0.text, weight: $0.weight) }
  }

  init(_ plot: NextWriteClasses.WritePlot) {
    id = plot.id
    rank = plot.rank
    number = plot.amount
    name = plot.name
    words = plot.words
    size = plot.size
    date = plot.date
    bytes = plot.bytes
    flag = plot.flag
    any = WriteModel.Mixed(plot.any)
    spot = plot.spot.map { WriteModel.Spot($0.coordinates) }
    best = plot.best?.id
    links = plot.links.map(\.id)
    numbers = Array(plot.numbers)
    tags = Set(plot.tags)
    for key in plot.marks.keys { marks[key] = plot.marks[key] }
    cover = plot.cover.map { WriteModel.Part(text: $0.text, weight: $0.weight) }
    parts = plot.parts.map { WriteModel.Part(text: $0.text, weight: $0.weight) }
  }
}

extension WriteModel.Leaf {
  init(_ leaf: WriteLeaf) {
    self.init(serial: leaf.serial, value: leaf.value, plot: leaf.plot?.id)
  }
}

extension WriteModel.Spot {
  init(_ coordinates: List<Double>) {
    self.init(longitude: coordinates[0], latitude: coordinates[1])
  }
}

extension WriteModel.Mixed {
  init(_ value: AnyRealmValue) {
    switch value {
    case .int(let value): self = .int(value)
    case .string(let value): self = .string(value)
    case .double(let value): self = .double(value)
    default: self = .none
    }
  }

  var value: AnyRealmValue {
    switch self {
    case .none: .none
    case .int(let value): .int(value)
    case .string(let value): .string(value)
    case .double(let value): .double(value)
    }
  }
}
