import Synchronization

/// Returns bytes in chunks of various lengths, so that rows are cut anywhere.
final class ChunkReader: Sendable {
  private let rest: Mutex<ArraySlice<UInt8>>

  init(_ bytes: [UInt8]) { rest = Mutex(bytes[...]) }

  /// The next chunk; nil at the end.
  func next() -> [UInt8]? {
    rest.withLock { rest in
      guard !rest.isEmpty else { return nil }
      let chunk = rest.prefix(1 + rest.count % 1000)
      rest = rest.dropFirst(chunk.count)
      return Array(chunk)
    }
  }
}
