import CadastreModel
import Dispatch
import Foundation

/// How scarce the memory of the system is, as the system reports it.
package enum MemoryPressure: Sendable {
  /// Memory is not scarce.
  case normal
  /// The cache should become smaller.
  case warning
  /// The system is about to end processes.
  case critical
}

/// The last check of the system's memory.
struct MemoryCheck: Sendable {
  /// The size of the cache in bytes at the check.
  var byteCount = 0
  /// The time of the check; nil before the first one.
  var time: ContinuousClock.Instant?

  /// The size of the cache in bytes from which on the memory is checked.
  static let leastBytes = 64 << 20
  /// The growth in bytes after which the memory is checked again; encoding so many bytes takes more than 1,000 times
  /// as long as a check.
  static let growth = 16 << 20
  /// The time after which a use of the cache checks the memory again.
  static let interval = Duration.seconds(10)
}

extension ColumnCache.State {
  /// Returns whether the memory of the system is to be checked, and records the check.
  mutating func isMemoryCheckDue() -> Bool {
    guard report.byteCount >= MemoryCheck.leastBytes || pressureLimit < .max else { return false }
    let now = ContinuousClock.now
    if let last = memoryCheck.time, report.byteCount - memoryCheck.byteCount < MemoryCheck.growth,
      now - last < MemoryCheck.interval
    {
      return false
    }
    memoryCheck = MemoryCheck(byteCount: report.byteCount, time: now)
    return true
  }
}

/// The cache gives way where memory is scarce.
///
/// Linux sends no notification without a thread that waits for it, so readers check the memory that is available, and
/// rarely: when the cache has grown by 16 MiB, and 10 s after the last check. The check is for the available bytes and
/// not for stalls (`/proc/pressure/memory`), which occur when it is too late.
extension ColumnCache {
  /// Limits the cache so that a reserve of the system's memory remains available.
  func adaptToMemory() {
    guard let available = memory.available() else { return }
    let hasEvicted = state.withLock { state in
      let evictions = state.report.evictions
      let (limit, overflow) = state.report.byteCount.addingReportingOverflow(
        available - memory.reserve)
      state.pressureLimit = overflow || limit >= state.report.budget ? .max : max(0, limit)
      Self.evict(&state, before: .max)
      state.memoryCheck.byteCount = state.report.byteCount
      return state.report.evictions > evictions
    }
    if hasEvicted { Self.returnMemory() }
  }

  /// Limits the cache after a notification of the system.
  func adapt(to pressure: MemoryPressure) {
    state.withLock { state in
      switch pressure {
      case .normal: state.pressureLimit = .max
      case .warning: state.pressureLimit = state.report.byteCount / 2
      case .critical: state.pressureLimit = 0
      }
      Self.evict(&state, before: .max)
    }
    if pressure != .normal { Self.returnMemory() }
  }

  /// Returns freed memory to the system.
  private static func returnMemory() {
    #if os(Linux)
      // The C library module of Swift lacks this function of glibc.
      if let trim = dlsym(nil, "malloc_trim") {
        _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
      }
    #endif
  }
}

/// A part of the memory of the cached columns that buffers of a sort use until the instance is released.
package final class ColumnMemoryLoan: Sendable {
  private let cache: ColumnCache
  private let byteCount: Int

  /// Takes a part of the cache's budget, at most three quarters; columns beyond the rest are evicted.
  ///
  /// - Complexity: O(1), and O(n) for n evicted segments.
  init(_ byteCount: Int, of cache: ColumnCache) {
    self.cache = cache
    // Columns keep a quarter, so that a sort in partitions does not decode them again and again.
    let byteCount = min(byteCount, cache.budget / 4 * 3)
    self.byteCount = byteCount
    cache.state.withLock { state in
      state.lent += byteCount
      ColumnCache.evict(&state, before: .max)
    }
  }

  deinit { cache.state.withLock { $0.lent -= byteCount } }
}

extension ColumnCache {
  /// Lends a part of the budget to buffers of a sort.
  package func loan(_ byteCount: Int) -> ColumnMemoryLoan { ColumnMemoryLoan(byteCount, of: self) }
}

/// The notifications of memory pressure that the system sends to processes.
// Safe because the source is not changed after the initialisation; Dispatch synchronises it.
final class MemoryPressureSource: @unchecked Sendable {
  #if canImport(Darwin)
    private let source: any DispatchSourceMemoryPressure

    /// Calls a closure on any thread whenever the pressure changes, until the instance is released.
    init?(_ body: @escaping @Sendable (MemoryPressure) -> Void) {
      let source = DispatchSource.makeMemoryPressureSource(
        eventMask: [.normal, .warning, .critical], queue: .global(qos: .utility))
      self.source = source
      source.setEventHandler { [weak self] in
        guard let event = self?.source.data else { return }
        if event.contains(.critical) {
          body(.critical)
        } else if event.contains(.warning) {
          body(.warning)
        } else {
          body(.normal)
        }
      }
      source.activate()
    }

    deinit { source.cancel() }
  #else
    /// Returns nil, because the system sends no notifications.
    init?(_ body: @escaping @Sendable (MemoryPressure) -> Void) { return nil }
  #endif
}
