import CSwiftRuntime
import CadastreModel

/// A reference to a Realm's core that does not keep it open.
///
/// Swift's own weak references move an object's count out of the object for good, and each managed
/// object would take several times as long to be made and to let go.
// Safe because the core is looked at under the lock, in which it also takes its leave, and is used
// where it is confined.
final class CoreReference: @unchecked Sendable {
  private let address: Guarded<UInt>

  init(_ core: RealmCore) {
    address = Guarded(UInt(bitPattern: Unmanaged.passUnretained(core).toOpaque()))
  }

  /// The core; nil once nobody uses it any more.
  var core: RealmCore? {
    address.withLock { address in
      // Fails for a core that is being taken apart, which then waits for the lock.
      guard let pointer = UnsafeMutableRawPointer(bitPattern: address),
        cadastre_retain_if_alive(pointer)
      else { return nil }
      return Unmanaged<RealmCore>.fromOpaque(pointer).takeRetainedValue()
    }
  }

  /// Whether nobody uses the core any more.
  var hasEnded: Bool { address.withLock { $0 == 0 } }

  /// The core is being taken apart.
  func end() { address.withLock { $0 = 0 } }
}
