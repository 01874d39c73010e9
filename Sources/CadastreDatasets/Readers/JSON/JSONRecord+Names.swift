extension JSONRecord {
  /// Returns the node of a name that occurs twice in one object; nil if there is none.
  ///
  /// - Complexity: O(n) in the number of nodes.
  func repeatedName() -> Int? {
    for node in 0..<nodeCount where nodes[node].kind == .object {
      if let repeated = repeatedName(in: node) { return repeated }
    }
    return nil
  }

  private func repeatedName(in object: Int) -> Int? {
    // Up to 16 names, pairwise comparison is as fast as hashing, measured with names of 3 to 20
    // bytes.
    let fewNames = 16
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: fewNames) { signatures in
      var seen = 0
      for member in members(of: object) {
        guard seen < fewNames else { return repeatedNameAmongMany(in: object) }
        let signature = signature(member.name)
        for earlier in 0..<seen where signatures[earlier] == signature {
          // Different names may have the same signature, so the names are compared.
          return repeatedNameAmongMany(in: object)
        }
        signatures[seen] = signature
        seen += 1
      }
      return nil
    }
  }

  /// Returns a mix of length, first and last bytes of a name; equal names have equal signatures.
  private func signature(_ node: Int) -> UInt64 {
    let (start, end) = (Int(nodes[node].start), Int(nodes[node].end))
    let length = UInt64(end - start)
    return bytes.withUnsafeBytes { bytes in
      let first = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian
      // The multiplier is 2^64 divided by the golden ratio, made odd (Fibonacci hashing).
      let mixed = length &* 0x9E37_79B9_7F4A_7C15
      guard length >= 8 else { return first & ((1 << (8 * length)) - 1) ^ mixed }
      let last = bytes.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self).littleEndian
      return first &* 0x9E37_79B9_7F4A_7C15 ^ last ^ mixed
    }
  }

  /// Does the same for objects of any size, with a hash table.
  private func repeatedNameAmongMany(in object: Int) -> Int? {
    var count = 0
    for _ in members(of: object) { count += 1 }
    var size = 2
    while size < 2 * count { size *= 2 }
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: size) { table in
      // The node 0 is the root, which is no name, so 0 marks a free slot.
      table.initialize(repeating: 0)
      for member in members(of: object) {
        var slot = hash(member.name) & (size - 1)
        while table[slot] != 0 {
          if haveSameText(Int(table[slot]), member.name) { return member.name }
          slot = (slot + 1) & (size - 1)
        }
        table[slot] = UInt32(member.name)
      }
      return nil
    }
  }

  /// Returns a hash with a random seed per process, so that files cannot be crafted to collide.
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
