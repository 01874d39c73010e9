/// A node of a spatial index in memory, in a compact form.
///
/// A cell of a leaf of points takes 12 bytes: keys are differences from the smallest one, and the box of a point is one
/// 32-bit float, or two adjacent ones, in each direction. A cell takes 24 bytes in the file.
struct CachedNode: Sendable {
  // An array, because it is one allocation. The header is followed by the ids, then by the boxes.
  private let words: [UInt32]

  /// The offsets of the parts of the header.
  private enum Header {
    /// The number of cells, and the depth of the tree in the upper half.
    static let counts = 0
    static let form = 1
    /// The smallest id, in two words.
    static let base = 2
    static let count = 4
  }

  /// The bits of `Header.form`.
  private enum Form {
    /// Ids are differences of 32 bits.
    static let shortIDs: UInt32 = 1
    /// Boxes are those of points.
    static let points: UInt32 = 2
  }

  /// The number of points whose bits fit into the words of a direction.
  private static let mostPoints = 64

  /// Copies the cells of a node.
  ///
  /// - Parameters:
  ///   - ids: The ids, as `RTreeNodes.Cells`.
  ///   - boxes: The boxes.
  ///   - depth: The depth of the tree in the node's header, at most 65,535.
  init(
    ids: UnsafeBufferPointer<Int64>, boxes: UnsafeBufferPointer<SIMD4<Float>>, depth: Int
  ) {
    let count = ids.count
    let (least, greatest) = (ids.min() ?? 0, ids.max() ?? 0)
    let (range, overflow) = greatest.subtractingReportingOverflow(least)
    let hasShortIDs = !overflow && range <= Int64(UInt32.max)
    let hasPoints = count <= Self.mostPoints && boxes.allSatisfy(Self.isPoint)
    let capacity =
      Header.count + count * (hasShortIDs ? 1 : 2) + (hasPoints ? count * 2 + 4 : count * 4)
    words = Array(unsafeUninitializedCapacity: capacity) { words, used in
      words.initialize(repeating: 0)
      used = capacity
      words[Header.counts] = UInt32(count) | UInt32(truncatingIfNeeded: depth) << 16
      words[Header.form] =
        (hasShortIDs ? Form.shortIDs : 0) | (hasPoints ? Form.points : 0)
      Self.store(UInt64(bitPattern: least), words, Header.base)
      var next = Header.count
      for id in ids {
        if hasShortIDs {
          words[next] = UInt32(truncatingIfNeeded: id &- least)
          next += 1
        } else {
          Self.store(UInt64(bitPattern: id), words, next)
          next += 2
        }
      }
      if hasPoints {
        Self.storePoints(boxes, words, next)
      } else {
        for box in boxes {
          for side in 0..<4 { words[next + side] = box[side].bitPattern }
          next += 4
        }
      }
    }
  }

  /// Stores the western sides, the southern sides, and a bit for each eastern and northern side: whether it is the next
  /// float.
  private static func storePoints(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ words: UnsafeMutableBufferPointer<UInt32>,
    _ start: Int
  ) {
    var (east, north) = (UInt64(0), UInt64(0))
    for (index, box) in boxes.enumerated() {
      // The sum replaces -0, whose bits have no successor.
      words[start + index] = (box[0] + 0).bitPattern
      words[start + boxes.count + index] = (box[2] + 0).bitPattern
      if box[1] != box[0] { east |= 1 << UInt64(index) }
      if box[3] != box[2] { north |= 1 << UInt64(index) }
    }
    store(east, words, start + boxes.count * 2)
    store(north, words, start + boxes.count * 2 + 2)
  }

  private static func isPoint(_ box: SIMD4<Float>) -> Bool {
    (box[1] == box[0] || box[1] == box[0].nextUp) && (box[3] == box[2] || box[3] == box[2].nextUp)
  }

  private static func store(
    _ value: UInt64, _ words: UnsafeMutableBufferPointer<UInt32>, _ index: Int
  ) {
    words[index] = UInt32(truncatingIfNeeded: value)
    words[index + 1] = UInt32(truncatingIfNeeded: value >> 32)
  }

  @inline(__always)
  private static func load(_ words: UnsafeBufferPointer<UInt32>, _ index: Int) -> UInt64 {
    UInt64(words[index]) | UInt64(words[index + 1]) << 32
  }

  /// The number of cells.
  var count: Int { Int(words[Header.counts] & 0xFFFF) }

  /// The depth of the tree in the header of the node, which is that of the tree in the root only.
  var depth: Int { Int(words[Header.counts] >> 16) }

  /// The memory of the node in bytes.
  var byteCount: Int { words.count * 4 + 32 }

  /// Writes the ids to memory for at least `count` ids.
  func readIDs(into ids: UnsafeMutablePointer<Int64>) {
    words.withUnsafeBufferPointer { readIDs($0, ids) }
  }

  private func readIDs(
    _ words: UnsafeBufferPointer<UInt32>, _ ids: UnsafeMutablePointer<Int64>
  ) {
    if words[Header.form] & Form.shortIDs != 0 {
      let base = Int64(bitPattern: Self.load(words, Header.base))
      for index in 0..<count { ids[index] = base &+ Int64(words[Header.count + index]) }
    } else {
      for index in 0..<count {
        ids[index] = Int64(bitPattern: Self.load(words, Header.count + index * 2))
      }
    }
  }

  /// Writes the ids and the boxes to memory for at least `count` of them.
  func readCells(
    ids: UnsafeMutablePointer<Int64>, boxes: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    words.withUnsafeBufferPointer { words in
      readIDs(words, ids)
      let form = words[Header.form]
      let count = count
      let start = Header.count + count * (form & Form.shortIDs != 0 ? 1 : 2)
      if form & Form.points != 0 {
        var east = Self.load(words, start + count * 2)
        var north = Self.load(words, start + count * 2 + 2)
        for index in 0..<count {
          let west = words[start + index]
          let south = words[start + count + index]
          let bits = SIMD4(
            west, Self.successor(west, east & 1), south, Self.successor(south, north & 1))
          boxes[index] = unsafeBitCast(bits, to: SIMD4<Float>.self)
          east &>>= 1
          north &>>= 1
        }
      } else {
        for index in 0..<count {
          let side = start + index * 4
          let bits = SIMD4(words[side], words[side + 1], words[side + 2], words[side + 3])
          boxes[index] = unsafeBitCast(bits, to: SIMD4<Float>.self)
        }
      }
    }
  }

  /// Returns the bits of the next float after one with the given bits where `isNext` is 1, otherwise the same bits.
  @inline(__always)
  private static func successor(_ bits: UInt32, _ isNext: UInt64) -> UInt32 {
    let value = Int32(bitPattern: bits)
    // The bits of negative numbers ascend with their magnitude.
    let step = value &>> 31 | 1
    return UInt32(bitPattern: value &+ step &* Int32(truncatingIfNeeded: isNext))
  }
}
