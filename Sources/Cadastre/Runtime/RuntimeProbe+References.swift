import CSwiftRuntime

extension RuntimeProbe {
  /// References of each kind to a probe.
  private final class References {
    var strong: RuntimeProbe?
    unowned var unowned: RuntimeProbe?
    weak var weak: RuntimeProbe?
  }

  /// The reference counts of an instance to which there is one strong reference and no other.
  ///
  /// - Returns: The counts; nil where they do not show each kind of further reference.
  static func countsOfSoleReference() -> UInt64? {
    guard let address = newCopy() else { return nil }
    let counts = cadastre_reference_counts(address)
    Unmanaged<RuntimeProbe>.fromOpaque(address).release()
    let showsAll =
      shows(counts) { $0.strong = $1 } && shows(counts) { $0.unowned = $1 }
      && shows(counts) { $0.weak = $1 }
    return showsAll ? counts : nil
  }

  /// Whether a new instance has some counts, and others with one more reference to it.
  private static func shows(
    _ counts: UInt64, _ refer: (References, RuntimeProbe) -> Void
  ) -> Bool {
    guard let address = newCopy() else { return false }
    defer { Unmanaged<RuntimeProbe>.fromOpaque(address).release() }
    guard cadastre_reference_counts(address) == counts else { return false }
    let references = References()
    Unmanaged<RuntimeProbe>.fromOpaque(address)._withUnsafeGuaranteedRef { refer(references, $0) }
    return withExtendedLifetime(references) { cadastre_reference_counts(address) != counts }
  }

  /// Returns a new instance that the caller owns; nil where instances cannot be copied.
  private static func newCopy() -> UnsafeMutableRawPointer? {
    let probe = RuntimeProbe()
    attach(probe)
    return withExtendedLifetime(probe) {
      cadastre_copy_object(Unmanaged.passUnretained(probe).toOpaque())
    }
  }
}
