import Foundation

/// The number of connections that a server has at once.
enum ConnectionLimit {
  /// Returns the number of connections: no more than half of the descriptors, because the store and the event loops
  /// need some too.
  ///
  /// - Parameters:
  ///   - connections: The limit of the options.
  ///   - descriptors: The number of descriptors that the process may have; nil for no limit.
  /// - Returns: The number, at least 1.
  static func connections(_ connections: Int, descriptors: Int?) -> Int {
    guard let descriptors else { return connections }
    return min(connections, max(1, descriptors / 2))
  }

  /// The number of descriptors that this process may have; nil for no limit.
  static var descriptors: Int? {
    let count = sysconf(Int32(_SC_OPEN_MAX))
    return count < 0 ? nil : count
  }
}
