import Cadastre
import CadastreTestSupport
import Foundation

/// A kind of read, which is compared with the model.
enum WriteRead: String, CaseIterable, Sendable {
  case heldNumber, heldObject, heldLeaf, invalidation
  case byPrimaryKey, absentKey, counts
  case links, numbers, elementsOfAll, linkingObjects
  case indexed, notIndexed, text, box, circle, fullText, byLink, byElements, combined
  case sorted, sections, aggregates, distinct, leaves, everything

  /// Reads and compares with the content that the Realm must have.
  func check(
    _ held: HeldObjects, _ model: WriteModel, _ random: inout SeededGenerator
  ) throws {
    let realm = held.realm
    let plots = realm.objects(WritePlot.self)
    let ids = model.ids()
    let id = ids.randomElement(using: &random)
    let number = random.below(100)
    switch self {
    case .heldNumber:
      for (id, plot) in held.plots {
        try WriteFailure.require(plot.number, is: try Self.plot(id, model).number)
      }
    case .heldObject:
      for (id, plot) in held.plots where random.oneIn(4) {
        try WriteFailure.require(WriteModel.Plot(plot), is: try Self.plot(id, model))
      }
    case .heldLeaf:
      for (serial, leaf) in held.leaves {
        guard let expected = model.leaves[serial] else {
          throw WriteFailure(expected: "no leaf \(serial)", found: "a held one")
        }
        try WriteFailure.require(WriteModel.Leaf(leaf), is: expected)
      }
    case .invalidation: try held.checkInvalidation()
    case .byPrimaryKey:
      guard let id else { return }
      let plot = realm.object(ofType: WritePlot.self, forPrimaryKey: id)
      try WriteFailure.require(plot.map { WriteModel.Plot($0) }, is: model.plots[id])
    case .absentKey:
      for id in 0..<60 {
        let isFound = realm.object(ofType: WritePlot.self, forPrimaryKey: id) != nil
        try WriteFailure.require("\(id) \(isFound)", is: "\(id) \(model.plots[id] != nil)")
      }
    case .counts:
      try WriteFailure.require(plots.count, is: model.plots.count)
      try WriteFailure.require(realm.objects(WriteLeaf.self).count, is: model.leaves.count)
    case .links:
      guard let id else { return }
      let list = try held.plot(id).links
      let expected = try Self.plot(id, model).links
      try WriteFailure.require(list.count, is: expected.count)
      try WriteFailure.require(list.map(\.id), is: expected)
      try WriteFailure.require(list.last?.id, is: expected.last)
    case .numbers:
      guard let id else { return }
      let list = try held.plot(id).numbers
      let expected = try Self.plot(id, model).numbers
      try WriteFailure.require(list.count, is: expected.count)
      try WriteFailure.require(Array(list), is: expected)
      try WriteFailure.require(list.sum(), is: expected.reduce(0, +))
    case .elementsOfAll:
      for plot in plots {
        let expected = try Self.plot(plot.id, model)
        let found = [plot.links.count, plot.numbers.count, plot.tags.count, plot.marks.count]
        try WriteFailure.require(
          found + [plot.parts.count],
          is: [
            expected.links.count, expected.numbers.count, expected.tags.count,
            expected.marks.count, expected.parts.count,
          ])
      }
    case .linkingObjects:
      guard let id else { return }
      let plot = try held.plot(id)
      try WriteFailure.require(
        plot.bestOf.map(\.id).sorted(), is: model.ids { $0.best == id })
      try WriteFailure.require(
        Set(plot.linkedBy.map(\.id)), is: Set(model.ids { $0.links.contains(id) }))
    case .sorted: try Self.checkOrder(plots, model)
    case .sections:
      let order = [SortDescriptor(keyPath: "rank"), SortDescriptor(keyPath: "id")]
      let sections = plots.sectioned(by: \.rank, sortDescriptors: order)
      let ranks = Set(model.plots.values.map(\.rank)).sorted()
      try WriteFailure.require(sections.map(\.key), is: ranks)
      try WriteFailure.require(
        sections.map { $0.map(\.id) }, is: ranks.map { rank in model.ids { $0.rank == rank } })
    case .aggregates: try Self.checkAggregates(plots, model)
    case .distinct:
      let ranks = plots.distinct(by: [\.rank]).map(\.rank)
      try WriteFailure.require(ranks.sorted(), is: Set(model.plots.values.map(\.rank)).sorted())
    case .leaves:
      let found = realm.objects(WriteLeaf.self).where { $0.value > number }.map(\.serial).sorted()
      let expected = model.leaves.values.filter { $0.value > number }.map(\.serial).sorted()
      try WriteFailure.require(found, is: expected)
    case .everything:
      try WriteFailure.require(content: WriteModel(reading: realm), is: model)
    case .indexed, .notIndexed, .text, .box, .circle, .fullText, .byLink, .byElements, .combined:
      let (found, expected) = try condition(plots, model, number)
      try WriteFailure.require(found.map(\.id).sorted(), is: expected)
      try WriteFailure.require(found.count, is: expected.count)
    }
  }

  private static func plot(_ id: Int, _ model: WriteModel) throws(WriteFailure) -> WriteModel.Plot {
    guard let plot = model.plots[id] else {
      throw WriteFailure(expected: "no plot \(id)", found: "one in the store")
    }
    return plot
  }

  /// Returns the plots that match a condition, and the keys that the model has for it.
  private func condition(
    _ plots: Results<WritePlot>, _ model: WriteModel, _ number: Int
  ) throws -> (found: Results<WritePlot>, expected: [Int]) {
    let rank = number % 5
    switch self {
    case .indexed: return (plots.where { $0.rank == rank }, model.ids { $0.rank == rank })
    case .notIndexed: return (plots.where { $0.number > number }, model.ids { $0.number > number })
    case .text:
      let name = "name \(number % 4)"
      return (plots.where { $0.name == name }, model.ids { $0.name == name })
    case .box:
      // No point is on its sides.
      guard let box = GeoBox(bottomLeft: (-3.25, -2.25), topRight: (1.75, 4.25)) else {
        throw WriteFailure(expected: "a box", found: "none")
      }
      return (
        plots.where { $0.spot.geoWithin(box) },
        model.ids { plot in
          guard let spot = plot.spot else { return false }
          return (-3.25...1.75).contains(spot.latitude) && (-2.25...4.25).contains(spot.longitude)
        }
      )
    case .circle:
      let radius = 0.0431
      guard let circle = GeoCircle(center: (0.3, 0.7), radiusInRadians: radius) else {
        throw WriteFailure(expected: "a circle", found: "none")
      }
      return (
        plots.where { $0.spot.geoWithin(circle) },
        model.ids { $0.spot.map { $0.angle(latitude: 0.3, longitude: 0.7) < radius } ?? false }
      )
    case .fullText:
      return (
        plots.filter("words TEXT 'wind'"),
        model.ids { $0.words.split(separator: " ").contains("wind") }
      )
    case .byLink:
      return (
        plots.where { $0.best.rank == rank },
        model.ids { $0.best.map { model.plots[$0]?.rank == rank } ?? false }
      )
    case .byElements:
      return (
        plots.where { $0.numbers.count > rank && $0.tags.contains("tag 1") },
        model.ids { $0.numbers.count > rank && $0.tags.contains("tag 1") }
      )
    default:
      return (
        plots.where { $0.rank > rank && $0.number < number && $0.flag == true },
        model.ids { $0.rank > rank && $0.number < number && $0.flag }
      )
    }
  }

  private static func checkOrder(_ plots: Results<WritePlot>, _ model: WriteModel) throws {
    let all = model.plots.values
    let sorted = plots.sorted(by: [
      SortDescriptor(keyPath: "rank", ascending: false), SortDescriptor(keyPath: "id"),
    ])
    try WriteFailure.require(
      sorted.map(\.id), is: all.sorted { ($1.rank, $0.id) < ($0.rank, $1.id) }.map(\.id))
    let byNumber = plots.sorted(by: [
      SortDescriptor(keyPath: "number"), SortDescriptor(keyPath: "id"),
    ])
    let expected = all.sorted { ($0.number, $0.id) < ($1.number, $1.id) }.map(\.id)
    try WriteFailure.require(byNumber.map(\.id), is: expected)
    try WriteFailure.require(byNumber.limit(3).map(\.id), is: Array(expected.prefix(3)))
  }

  private static func checkAggregates(_ plots: Results<WritePlot>, _ model: WriteModel) throws {
    let all = model.plots.values
    try WriteFailure.require(plots.sum(of: \.number), is: all.reduce(0) { $0 + $1.number })
    try WriteFailure.require(plots.max(of: \.rank), is: all.map(\.rank).max())
    try WriteFailure.require(plots.min(of: \.size), is: all.map(\.size).min())
    let sum = all.reduce(0.0) { $0 + $1.size }
    try WriteFailure.require(
      plots.average(of: \.size), is: all.isEmpty ? nil : sum / Double(all.count))
  }
}

extension WriteModel.Spot {
  /// The angle to a position in radians, by the haversine formula.
  fileprivate func angle(latitude: Double, longitude: Double) -> Double {
    let degree = Double.pi / 180
    let height = sin((latitude - self.latitude) * degree / 2)
    let width = sin((longitude - self.longitude) * degree / 2)
    let cosines = cos(latitude * degree) * cos(self.latitude * degree)
    return 2 * asin((height * height + cosines * width * width).squareRoot())
  }
}
