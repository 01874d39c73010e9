import Foundation
import FuzzingDriver

/// What must hold for each input.
protocol RealmProperties {
  /// Stops the process if a property is violated.
  func check(_ bytes: [UInt8])
}

/// The properties that `CADASTRE_INPUT` names; safe because the fuzzer runs its inputs one after the other
/// on one thread.
nonisolated(unsafe) private let properties: any RealmProperties = {
  do {
    switch ProcessInfo.processInfo.environment["CADASTRE_INPUT"] {
    case "values": return try ValueProperties()
    case "store": return try StoreProperties()
    default: stop("CADASTRE_INPUT must be 'values' or 'store'")
    }
  } catch {
    stop("the sample objects cannot be stored: \(error)")
  }
}()

/// Creates objects from JSON values, or reads and writes damaged stores, that libFuzzer generates.
@main enum RealmFuzzer {
  static func main() {
    exit(
      fuzz { bytes, count in
        properties.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
      })
  }
}
