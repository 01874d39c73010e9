import CSwiftRuntime
import CadastreModel

/// Makes the objects of a loop.
///
/// The instance of the last object is used again for the next one where nothing but the loop refers to it: no
/// strong, weak or unowned reference. Making and releasing an instance costs more than reading a property.
struct LoopInstance {
  private let table: ManagedTable
  private let info: ClassInfo
  /// The generation in which the keys were found.
  private let birth: UInt64
  /// The reference counts of an instance to which only the loop refers; nil where instances are not used again.
  private let countsOfSoleReference: UInt64?
  /// The instance that was made last.
  private var last: ObjectBase?
  /// The address of that instance.
  private var address: UnsafeMutableRawPointer?

  /// - Parameter table: The table of the objects.
  init(_ table: ManagedTable) {
    self.table = table
    info = table.info
    birth = table.core.currentGeneration
    // Several threads may read a frozen object.
    let isReusable = info.hasOnlyStoredProperties && !table.core.isFrozen
    countsOfSoleReference = isReusable ? RuntimeFeatures.countsOfSoleReference : nil
  }

  /// Returns the address of the object with a key, which is valid until the next call.
  mutating func object(_ key: ObjectKey) -> UnsafeMutableRawPointer {
    if let address, cadastre_reference_counts(address) == countsOfSoleReference {
      // Without a further reference, whose counting costs as much as the rest.
      Unmanaged<ObjectBase>.fromOpaque(address)._withUnsafeGuaranteedRef {
        $0.move(to: key, at: birth)
      }
      return address
    }
    let made = info.makeInstance(of: info.type, table, key)
    made.move(to: key, at: birth)
    let address = Unmanaged.passUnretained(made).toOpaque()
    (last, self.address) = (made, address)
    return address
  }
}
