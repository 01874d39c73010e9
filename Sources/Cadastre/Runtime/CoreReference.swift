import CSwiftRuntime
import CadastreModel

/// A non-retaining reference to a Realm's core.
///
/// Swift's weak references move the reference count of an object permanently to a side table, which
/// multiplies the cost of creating and releasing managed objects. They are the fallback.
// Safe because the core is read and ended under the lock, and used only in its confinement.
final class CoreReference<Core: RealmCore>: @unchecked Sendable {
  // Safe for the same reason.
  private struct State: @unchecked Sendable {
    var address: UInt
    weak var core: Core?
  }

  private let state: Guarded<State>

  init(_ core: Core) {
    let address = UInt(bitPattern: Unmanaged.passUnretained(core).toOpaque())
    state = Guarded(
      State(address: address, core: RuntimeFeatures.retainsUnowned ? nil : core))
  }

  /// The core; nil after its release.
  var core: Core? {
    let retained = state.withLock { state -> UInt in
      guard RuntimeFeatures.retainsUnowned else {
        return state.core.map { UInt(bitPattern: Unmanaged.passRetained($0).toOpaque()) } ?? 0
      }
      // Fails if the core is being deinitialized; its deinitializer then waits for the lock.
      guard let pointer = UnsafeMutableRawPointer(bitPattern: state.address),
        cadastre_retain_if_alive(pointer)
      else { return 0 }
      return state.address
    }
    return UnsafeRawPointer(bitPattern: retained).map {
      Unmanaged<Core>.fromOpaque($0).takeRetainedValue()
    }
  }

  /// Whether the core is released.
  var hasEnded: Bool { state.withLock { $0.address == 0 } }

  /// Records that the core is being deinitialized.
  func end() { state.withLock { $0.address = 0 } }
}
