import CadastreGeometry

/// The nodes of an index that is written, bottom-up.
struct FlatGeobufIndexBuilder {
  /// The number of entries in a node; GDAL reads no other.
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
      zip(envelopes, offsets).map { envelope, offset in
        Node(
          box: [
            envelope.minLongitude, envelope.minLatitude, envelope.maxLongitude,
            envelope.maxLatitude,
          ], pointer: offset)
      }
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
