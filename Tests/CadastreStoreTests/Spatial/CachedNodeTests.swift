import CadastreTestSupport
import Testing

@testable import CadastreStore

/// Cached nodes have the cells of the nodes in the file.
@Suite("Cached nodes") struct CachedNodeTests {
  private static let extremes: [Float] = [
    0, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 180, -180, .greatestFiniteMagnitude,
    -.greatestFiniteMagnitude, .infinity, -.infinity, .nan, 1e-30, -1e-30,
  ]

  private func box(_ random: inout SeededGenerator, isPoint: Bool) -> SIMD4<Float> {
    func side() -> (Float, Float) {
      let low =
        random.oneIn(4) ? random.pick(Self.extremes) : Float(random.number(-180...180))
      if !isPoint, random.oneIn(2) { return (low, random.pick(Self.extremes)) }
      return (low, random.oneIn(2) ? low : low.nextUp)
    }
    let (longitude, latitude) = (side(), side())
    return SIMD4(longitude.0, longitude.1, latitude.0, latitude.1)
  }

  @Test(arguments: Seeds.usual(1...4))
  func `a cached node has the same cells`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<400 {
      let count = random.pick([0, 1, 2, 46, 51, 64, 65, 170])
      let isPoint = random.oneIn(2)
      let boxes = (0..<count).map { _ in box(&random, isPoint: isPoint) }
      let base = random.pick([0, -5, Int64(1) << 40, .max, .min])
      let ids = (0..<count).map { _ in
        random.oneIn(80) ? random.pick([.max, .min, 0]) : base &+ Int64(random.below(5000))
      }
      let depth = random.below(70_000) & 0xFFFF
      let node = ids.withUnsafeBufferPointer { ids in
        boxes.withUnsafeBufferPointer { CachedNode(ids: ids, boxes: $0, depth: depth) }
      }
      #expect(node.count == count && node.depth == depth)
      var (readIDs, readBoxes) = (
        [Int64](repeating: 1, count: count), [SIMD4<Float>](repeating: .zero, count: count)
      )
      var idsAlone = readIDs
      readIDs.withUnsafeMutableBufferPointer { ids in
        readBoxes.withUnsafeMutableBufferPointer { boxes in
          guard let ids = ids.baseAddress, let boxes = boxes.baseAddress else { return }
          node.readCells(ids: ids, boxes: boxes)
        }
      }
      idsAlone.withUnsafeMutableBufferPointer { ids in
        if let ids = ids.baseAddress { node.readIDs(into: ids) }
      }
      #expect(readIDs == ids && idsAlone == ids, "seed \(seed), round \(round)")
      for (read, box) in zip(readBoxes, boxes) {
        for side in 0..<4 {
          // Zero may lose its sign, which no comparison shows.
          #expect(
            read[side] == box[side] || read[side].isNaN && box[side].isNaN,
            "seed \(seed), round \(round): \(read) for \(box)")
        }
      }
    }
  }

  @Test func `a leaf of points takes about half of its size in the file`() {
    var random = SeededGenerator(seed: 3)
    let ids = (0..<46).map { _ in Int64(random.below(20_000_000)) }
    let boxes = ids.map { _ in
      let box = NodeBox(
        longitude: random.number(-180...180), latitude: random.number(-90...90))
      return SIMD4(box.west, box.east, box.south, box.north)
    }
    let node = ids.withUnsafeBufferPointer { ids in
      boxes.withUnsafeBufferPointer { CachedNode(ids: ids, boxes: $0, depth: 0) }
    }
    #expect(node.byteCount < 640)
  }
}
