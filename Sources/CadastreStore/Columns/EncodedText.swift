/// The bytes of some texts or other byte strings, end to end.
struct EncodedText: Sendable {
  /// All bytes.
  let bytes: [UInt8]
  /// The offset of each text, and of the end.
  private let offsets: PackedIntegers

  init(_ bytes: [UInt8], _ offsets: [UInt32]) {
    self.bytes = bytes
    self.offsets = PackedIntegers(offsets.map(Int64.init))
  }

  /// The number of texts.
  var count: Int { offsets.count - 1 }

  /// Returns the range of a text in `bytes`.
  @inline(__always)
  func range(_ row: Int) -> Range<Int> {
    let (start, end) = offsets.pair(row)
    return Int(start)..<Int(end)
  }

  /// Calls a closure with the bytes, and the offset of each text and of the end.
  func withBytes(
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt32>) throws -> Void
  ) rethrows {
    try bytes.withUnsafeBufferPointer { bytes in
      try offsets.withNumbers(as: UInt32.self) { try body(bytes, $0) }
    }
  }

  /// The size in memory in bytes.
  var byteCount: Int { bytes.capacity + offsets.byteCount }
}
