import CGEOS

/// What GEOS reported, in its words.
struct GEOSError: Error, Hashable {
  let message: String
}

/// One handle of the GEOS library, with the last error it reported.
///
/// Only reentrant functions are called. A context serves one thread at a time.
final class GEOSContext {
  let handle: GEOSContextHandle_t
  private var lastMessage = ""

  /// - Throws: If GEOS cannot be started.
  init() throws(GEOSError) {
    guard let handle = GEOS_init_r() else {
      throw GEOSError(message: "GEOS could not be started")
    }
    self.handle = handle
    let handler: GEOSMessageHandler_r = { message, owner in
      guard let message, let owner else { return }
      Unmanaged<GEOSContext>.fromOpaque(owner).takeUnretainedValue().lastMessage =
        String(cString: message)
    }
    GEOSContext_setErrorMessageHandler_r(
      handle, handler, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    GEOS_finish_r(handle)
  }

  /// What a function returned, or the error it reported if that was nothing.
  func require<Value>(_ value: Value?) throws(GEOSError) -> Value {
    guard let value else { throw GEOSError(message: lastMessage) }
    return value
  }

  /// The answer of a predicate, which GEOS gives as 0, 1, or 2 for an error.
  func require(predicate answer: CChar) throws(GEOSError) -> Bool {
    guard answer == 0 || answer == 1 else { throw GEOSError(message: lastMessage) }
    return answer == 1
  }
}

// Not Sendable: a handle serves one thread at a time.
@available(*, unavailable)
extension GEOSContext: Sendable {}
