import CGEOS

/// An error reported by GEOS.
struct GEOSError: Error, Hashable {
  /// The message of GEOS.
  let message: String
}

/// A context of the reentrant GEOS API, with the last error it reported.
///
/// A context may be used by one thread at a time.
final class GEOSContext {
  let handle: GEOSContextHandle_t
  private var lastMessage = ""

  /// Creates a context.
  ///
  /// - Throws: ``GEOSError`` if GEOS cannot be initialised.
  init() throws(GEOSError) {
    guard let handle = GEOS_init_r() else {
      throw GEOSError(message: "GEOS could not be initialised")
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

  /// Returns the result of a GEOS function, or throws the reported error if the result is nil.
  func require<Value>(_ value: Value?) throws(GEOSError) -> Value {
    guard let value else { throw GEOSError(message: lastMessage) }
    return value
  }

  /// Returns the result of a GEOS predicate: 0 for false, 1 for true, 2 for an error.
  func require(predicate result: CChar) throws(GEOSError) -> Bool {
    guard result == 0 || result == 1 else { throw GEOSError(message: lastMessage) }
    return result == 1
  }
}

// Not Sendable: a GEOS handle may be used by one thread at a time.
@available(*, unavailable)
extension GEOSContext: Sendable {}
