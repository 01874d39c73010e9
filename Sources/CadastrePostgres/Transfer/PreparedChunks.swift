import Dispatch

/// Chunks of bytes, each made on another thread while the one before it is sent.
// Safe because one connection takes the chunks, and the group orders each with its making.
final class PreparedChunks: @unchecked Sendable {
  private let queue = DispatchQueue(label: "cadastre.chunks")
  private let group = DispatchGroup()
  private let make: () throws -> [UInt8]?
  private var prepared: Result<[UInt8]?, any Error> = .success(nil)

  /// Begins to make the first chunk.
  ///
  /// - Parameter make: Returns the next chunk; nil at the end.
  init(_ make: @escaping () throws -> [UInt8]?) {
    self.make = make
    prepare()
  }

  /// Waits until no chunk is being made.
  func finish() { group.wait() }

  /// Returns the next chunk; nil at the end.
  func next() throws -> [UInt8]? {
    group.wait()
    guard let chunk = try prepared.get() else { return nil }
    prepare()
    return chunk
  }

  private func prepare() {
    queue.async(group: group) { self.prepared = Result { try self.make() } }
  }
}
