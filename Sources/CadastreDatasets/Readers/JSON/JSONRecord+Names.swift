extension JSONRecord {
  /// The second of two members of one object that share a name, as a node; nil if there is none.
  ///
  /// - Complexity: O(n) in the nodes, times the members of an object if they are few.
  func repeatedName() -> Int? {
    for node in 0..<nodeCount where nodes[node].kind == .object {
      if let found = repeatedName(in: node) { return found }
    }
    return nil
  }

  private func repeatedName(in object: Int) -> Int? {
    // Comparing 16 names with each other takes as long as hashing them, measured with names of
    // 3 to 20 bytes.
    let fewNames = 16
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: fewNames) { signatures in
      var seen = 0
      for member in members(of: object) {
        guard seen < fewNames else { return repeatedNameAmongMany(in: object) }
        let signature = signature(member.name)
        for earlier in 0..<seen where signatures[earlier] == signature {
          // Names of the same length that begin alike: see all of them.
          return repeatedNameAmongMany(in: object)
        }
        signatures[seen] = signature
        seen += 1
      }
      return nil
    }
  }

  /// The length of a name and its first and last bytes, mixed; equal names have equal signatures.
  private func signature(_ node: Int) -> UInt64 {
    let (start, end) = (Int(nodes[node].start), Int(nodes[node].end))
    let length = UInt64(end - start)
    return bytes.withUnsafeBytes { bytes in
      let first = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian
      // Made odd and with bits all over, 2^64 divided by the golden ratio keeps the mix apart.
      let mixed = length &* 0x9E37_79B9_7F4A_7C15
      guard length >= 8 else { return first & ((1 << (8 * length)) - 1) ^ mixed }
      let last = bytes.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self).littleEndian
      return first &* 0x9E37_79B9_7F4A_7C15 ^ last ^ mixed
    }
  }

  /// The same for objects of any size, with a table of hashes.
  private func repeatedNameAmongMany(in object: Int) -> Int? {
    var count = 0
    for _ in members(of: object) { count += 1 }
    var size = 2
    while size < 2 * count { size *= 2 }
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: size) { table in
      // No name is the root, so 0 is a free place.
      table.initialize(repeating: 0)
      for member in members(of: object) {
        var place = hash(member.name) & (size - 1)
        while table[place] != 0 {
          if haveSameText(Int(table[place]), member.name) { return member.name }
          place = (place + 1) & (size - 1)
        }
        table[place] = UInt32(member.name)
      }
      return nil
    }
  }

  /// A hash that differs from process to process, so that no file can be made to collide.
  private func hash(_ node: Int) -> Int {
    withText(node) { text in
      var hasher = Hasher()
      hasher.combine(bytes: UnsafeRawBufferPointer(text))
      return hasher.finalize()
    }
  }

  private func haveSameText(_ first: Int, _ second: Int) -> Bool {
    withText(first) { first in withText(second) { first.elementsEqual($0) } }
  }
}
