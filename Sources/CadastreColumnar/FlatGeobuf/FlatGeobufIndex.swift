import CadastreGeometry

/// The index of a FlatGeobuf file: a packed R-tree in Hilbert order.
///
/// Source: flatgeobuf.org, "packedrtree.h".
struct FlatGeobufIndex {
  /// The size of a node, in bytes.
  static let nodeBytes = 40
  /// The numbers of the nodes of each level, leaves first.
  private let levels: [Range<Int>]
  private let nodeSize: Int
  private let start: Int

  /// The number of nodes.
  var nodeCount: Int { levels.first?.upperBound ?? 0 }
  /// The size, in bytes.
  var bytes: Int { nodeCount * Self.nodeBytes }

  /// Creates the layout of an index; returns nil if it exceeds a number of bytes.
  ///
  /// - Parameters:
  ///   - count: The number of features, at least 1.
  ///   - nodeSize: The number of entries in a node, at least 2.
  ///   - start: The offset in the file.
  ///   - limit: The maximum size, in bytes.
  init?(count: Int, nodeSize: Int, at start: Int, limit: Int) {
    guard count > 0, count <= limit / Self.nodeBytes else { return nil }
    var counts = [count]
    repeat {
      let next = (counts[counts.count - 1] - 1) / nodeSize + 1
      counts.append(next)
    } while counts[counts.count - 1] > 1
    var end = counts.reduce(0, +)
    guard end <= limit / Self.nodeBytes else { return nil }
    levels = counts.map { count in
      defer { end -= count }
      return end - count..<end
    }
    self.nodeSize = nodeSize
    self.start = start
  }

  /// A feature whose bounding box intersects the box of a search.
  struct Hit {
    /// The number of the feature in the file, from 0.
    let number: Int
    /// The offset of the feature after the index.
    let offset: UInt64
  }

  /// Returns the features whose bounding boxes intersect a box, in the order of the file.
  func search(_ box: ColumnarBox, in file: ColumnarFile) throws(ColumnarError) -> [Hit] {
    var hits: [Hit] = []
    var nodes = [0..<1]
    for level in levels.indices.reversed() {
      var children: [Range<Int>] = []
      for range in nodes {
        let bytes = try file.read(
          at: start + range.lowerBound * Self.nodeBytes, count: range.count * Self.nodeBytes)
        for index in range {
          let offset = (index - range.lowerBound) * Self.nodeBytes
          guard Self.touches(bytes, offset, box) else { continue }
          let pointer = bytes.word(at: offset + 32, as: UInt64.self)
          if level == 0 {
            hits.append(Hit(number: index - levels[0].lowerBound, offset: pointer))
          } else {
            children.append(try self.children(of: index, level, pointer))
          }
        }
      }
      nodes = children
    }
    return hits
  }

  /// Returns the children of a node, which every writer stores in the order of their parents.
  private func children(
    of index: Int, _ level: Int, _ pointer: UInt64
  ) throws(ColumnarError) -> Range<Int> {
    let below = levels[level - 1]
    let first = below.lowerBound + (index - levels[level].lowerBound) * nodeSize
    guard first < below.upperBound, pointer == UInt64(first) else {
      throw .corrupt(
        found: "a node with children at \(pointer)", expected: "children at \(first)",
        part: "index", offset: start + index * Self.nodeBytes)
    }
    return first..<min(first + nodeSize, below.upperBound)
  }

  private static func touches(_ bytes: [UInt8], _ offset: Int, _ box: ColumnarBox) -> Bool {
    func number(_ index: Int) -> Double {
      Double(bitPattern: bytes.word(at: offset + 8 * index, as: UInt64.self))
    }
    return box.touches(xMin: number(0), yMin: number(1), xMax: number(2), yMax: number(3))
  }
}

/// A builder of the index, from the leaves to the root.
struct FlatGeobufIndexBuilder {
  /// The number of entries in a node, the only one that GDAL reads.
  static let nodeSize = 16

  /// A node: a box, and the offset of a feature or the number of the first child.
  private struct Node {
    var box: [Double]
    var pointer: UInt64
  }

  /// Returns the size of the index of a number of features, in bytes.
  static func bytes(count: Int) -> Int {
    FlatGeobufIndex(count: count, nodeSize: nodeSize, at: 0, limit: .max)?.bytes ?? 0
  }

  /// Returns the index of features in the order of the file.
  ///
  /// - Parameters:
  ///   - envelopes: The envelopes of the features.
  ///   - offsets: The offsets of the features after the index.
  /// - Returns: The bytes of all nodes, the root first.
  static func index(_ envelopes: [Envelope], _ offsets: [UInt64]) -> [UInt8] {
    var levels = [
      zip(envelopes, offsets).map { Node(box: $0.sides, pointer: $1) }
    ]
    repeat {
      let below = levels[levels.count - 1]
      levels.append(
        stride(from: 0, to: below.count, by: nodeSize).map { first in
          let children = below[first..<min(first + nodeSize, below.count)]
          var box = children[first].box
          for child in children.dropFirst() {
            for axis in 0..<2 {
              box[axis] = min(box[axis], child.box[axis])
              box[axis + 2] = max(box[axis + 2], child.box[axis + 2])
            }
          }
          return Node(box: box, pointer: UInt64(first))
        })
    } while levels[levels.count - 1].count > 1
    var bytes: [UInt8] = []
    var start = 0
    for level in levels.indices.reversed() {
      start += levels[level].count
      for node in levels[level] {
        for number in node.box { bytes.appendWord(number.bitPattern) }
        bytes.appendWord(level == 0 ? node.pointer : UInt64(start) + node.pointer)
      }
    }
    return bytes
  }
}
