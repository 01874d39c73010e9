/// The body of a response that is made in pieces, as fast as the client reads it.
protocol BodyPieces: Sendable {
  /// Returns the next piece; nil at the end.
  func next() async throws -> [UInt8]?
}

extension BodyPieces {
  /// Returns the first piece with the rest behind it, so that an error in it is a response of its own.
  func prepared() async throws -> PreparedPieces {
    PreparedPieces(first: try await next(), rest: self)
  }
}

/// The pieces of a body, after the first one was made.
struct PreparedPieces: Sendable {
  let first: [UInt8]?
  let rest: any BodyPieces

  /// Calls a closure with each piece.
  func forEach(_ body: ([UInt8]) async throws -> Void) async throws {
    guard let first else { return }
    try await body(first)
    while let piece = try await rest.next() { try await body(piece) }
  }
}
