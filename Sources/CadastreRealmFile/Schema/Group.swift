/// The top node of a file: the names of the tables and their nodes.
struct Group {
  /// The tables by the index in their keys; nil where a table was removed or is damaged.
  private(set) var tables: [(name: String, key: Int, top: Node)?] = []
  /// The tables whose keys cannot be read.
  private(set) var damaged: [(name: String, damage: Damage)] = []
  /// The end of the content, if the file is shorter; else nil.
  private(set) var missingEnd: Int?

  /// Reads the top node, and limits the space to the content of the file.
  ///
  /// - Parameters:
  ///   - reference: The offset of the node; nil for a file without tables.
  ///   - space: The file.
  /// - Throws: ``Damage``.
  init(_ reference: UInt64?, _ space: inout NodeSpace) throws(Damage) {
    guard let reference else { return }
    let top = try space.node(reference, from: 0)
    try top.requireReferences()
    guard [3, 5, 7, 9, 10, 11, 12].contains(top.count), !top.isInner,
      let size = try top.number(2), size >= UInt64(NodeSpace.headerSize)
    else { throw Damage(top.offset, "expected the top node of a file") }
    guard size <= UInt64(space.limit) else {
      missingEnd = Int(clamping: size)
      return
    }
    space.limit = Int(size)
    let names = try StringLeaf(try space.node(top, 0), space, visited: nil)
    let nodes = try space.node(top, 1)
    try nodes.requireReferences()
    guard names.count == nodes.count, nodes.count <= Self.maximumTables else {
      throw Damage(nodes.offset, "found \(names.count) names of \(nodes.count) tables")
    }
    for index in 0..<nodes.count {
      // A number or 0 marks a removed table.
      guard try nodes.number(index) == nil, try nodes.integer(index) != 0 else {
        tables.append(nil)
        continue
      }
      let name = try names.text(index, nil) ?? ""
      do throws(Damage) {
        let top = try space.node(nodes, index)
        let key = try TableReader.key(top)
        guard key & 0xFFFF == index else {
          throw Damage(top.offset, "found table \(key) at position \(index)")
        }
        tables.append((name, key, top))
      } catch {
        tables.append(nil)
        damaged.append((name, error))
      }
    }
  }

  private static let maximumTables = 65_536
}
