import Cadastre
import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

/// Live results of every shape, and the changes that their observers receive, compared with a model in plain Swift.
@Suite struct RandomLiveTests {
  /// The Realm that makes a commit.
  private enum Origin: CaseIterable { case observer, writer, thread }

  /// Two Realms with the model, and the shapes that one of them observes.
  private final class Harbour {
    let seed: UInt64
    let configuration = MarinaWriter.configuration()
    let reader: Corner
    let other: Corner
    let writer: MarinaWriter
    /// The content at the version of the observing Realm; used on its queue.
    let view = MarinaView()
    let shapes: [LiveShape]
    private(set) var step = 0

    init(seed: UInt64) throws {
      self.seed = seed
      reader = try Corner(configuration)
      other = try Corner(configuration)
      writer = MarinaWriter(seed: seed)
      shapes = MarinaShapes.all(view)
    }

    /// Makes a commit, or a transaction that is cancelled.
    func commit(by origin: Origin) throws {
      let changes = 1 + writer.random.below(5)
      let isCancelled = writer.random.oneIn(7)
      let refreshesBefore = writer.random.oneIn(2)
      switch origin {
      case .observer:
        let committed = writer.model.committed
        try reader.enter { realm in
          // A write moves the Realm and delivers the changes of others, as a refresh does.
          view.model = committed
          if refreshesBefore { realm.refresh() }
          try writer.commit(to: realm, changes: changes, isCancelled: isCancelled)
          view.model = writer.model.committed
        }
      case .writer:
        try other.enter {
          try writer.commit(to: $0, changes: changes, isCancelled: isCancelled)
        }
      case .thread:
        let (configuration, writer) = (configuration, writer)
        try onNewThread {
          let realm = try Realm(configuration: configuration)
          try writer.commit(to: realm, changes: changes, isCancelled: isCancelled)
        }
      }
    }

    /// Refreshes the observing Realm, and compares all shapes with the model.
    ///
    /// - Returns: Whether all agree.
    func check(_ readings: [MarinaShapes.Reading]) -> Bool {
      step += 1
      let model = writer.model.committed
      let faults = reader.enter { realm in
        view.model = model
        realm.refresh()
        var faults = shapes.flatMap { $0.check(realm, model) }
        for reading in readings {
          let (found, expected) = (reading.read(), reading.expected(model))
          guard found != expected else { continue }
          faults.append("shape '\(reading.name)': expected \(expected), found \(found)")
        }
        for shape in shapes { shape.observe(realm, model) }
        return faults
      }
      for fault in faults {
        Issue.record("seed \(seed), step \(step), \(fault)\nchanges: \(writer.log)")
      }
      writer.clearLog()
      return faults.isEmpty
    }
  }

  @Test(arguments: Seeds.usual(1...4))
  func `live results and delivered changes agree with a model`(seed: UInt64) throws {
    let harbour = try Harbour(seed: seed)
    try harbour.other.enter { realm in
      try harbour.writer.commit(to: realm, changes: 60)
    }
    let readings = harbour.reader.enter { realm in
      // Each check says when the Realm moves.
      realm.autorefresh = false
      return MarinaShapes.readings(realm)
    }
    guard harbour.check(readings) else { return }
    for _ in 0..<25 {
      for _ in 0...harbour.writer.random.below(3) {
        try harbour.commit(by: harbour.writer.random.pick(Origin.allCases))
      }
      guard harbour.check(readings) else { break }
    }
    harbour.reader.enter { _ in
      let deliveries = harbour.shapes.reduce(0) { $0 + $1.deliveries }
      #expect(deliveries > 5 * harbour.shapes.count, "seed \(seed)")
      for shape in harbour.shapes { shape.end() }
    }
  }
}
