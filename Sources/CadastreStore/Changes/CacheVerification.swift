import Foundation

/// The comparison of cached values and results with the store, in debug builds for tests.
///
/// With the environment variable `CADASTRE_VERIFY_CACHES`, each value and each result that comes from memory is read
/// again, and a difference stops the process.
package enum CacheVerification {
  /// Whether values and results from memory are compared.
  package static let isOn = ProcessInfo.processInfo.environment["CADASTRE_VERIFY_CACHES"] != nil

  /// Returns whether a cached value is the stored one.
  ///
  /// - Parameters:
  ///   - cached: The cached value.
  ///   - stored: Reads the stored value; nil for a value that cannot be compared, because the store cannot be read.
  ///   - isEqual: Compares two values.
  /// - Returns: Whether they are equal; true if they are not compared.
  package static func isStored<Cached>(
    _ cached: Cached, _ stored: () throws -> Cached?, _ isEqual: (Cached, Cached) -> Bool
  ) -> Bool {
    guard isOn, let stored = try? stored() else { return true }
    return isEqual(cached, stored)
  }
}
