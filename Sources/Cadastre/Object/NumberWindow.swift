import CSwiftRuntime
import CadastreStore
import Foundation

/// What each read of a property asks its Realm, in memory that objects point to.
///
/// A Realm's core owns it and keeps it up to date; objects keep the core.
struct ReadState {
  /// The current generation.
  let generation: UnsafePointer<UInt64>
  /// The generation of the newest revocation.
  var newestRevocation: UInt64 = 0
  /// The thread on which the Realm may be used; nil where there is none.
  let thread: pthread_t?
  /// The identity of the executor on which the Realm may be used; 0 where there is none.
  let executor: UInt

  /// Whether the caller is where the Realm is confined; false also where only `Confinement` can tell.
  @inline(__always)
  var isCurrent: Bool {
    if let thread, pthread_equal(thread, pthread_self()) != 0 { return true }
    return executor != 0 && cadastre_current_executor().identity == executor
  }
}

/// The numbers of some thousand consecutive rows in one column, which a loop reads without following
/// references.
struct NumberWindow {
  /// The key of the first row.
  var firstKey: Int64 = 0
  /// The generation in which the numbers are valid; 0 without numbers.
  var generation: UInt64 = 0
  /// The state of the Realm; nil without numbers.
  var state: UnsafePointer<ReadState>?
  /// The numbers by slot, see `DecodedNumbers`.
  var numbers: UnsafePointer<Int64>?
  /// A bit for each slot that contains a number.
  var present: UnsafePointer<UInt64>?

  /// The number of a row.
  ///
  /// - Parameters:
  ///   - key: The key of the row.
  ///   - birth: The generation in which the object was made.
  /// - Returns: The number; nil where it is null, or must be read in another way.
  @inline(__always)
  func number(_ key: Int64, since birth: UInt64) -> Int64? {
    guard let state, state.pointee.generation.pointee == generation,
      birth >= state.pointee.newestRevocation, state.pointee.isCurrent
    else { return nil }
    let slot = UInt64(bitPattern: key &- firstKey)
    guard slot < UInt64(KeySegment.capacity), let present, let numbers,
      present[Int(slot >> 6)] & (1 << (slot & 63)) != 0
    else { return nil }
    return numbers[Int(slot)]
  }
}
