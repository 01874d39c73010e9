import CadastreModel
import CadastreStore

/// The number of elements that a collection has returned last.
///
/// In a damaged file the elements that are read later can be fewer or more. A frozen collection is
/// read by several threads, so that each use is within `RealmCore.exclusively`.
struct CountedElements {
  private var last: (count: Int, epoch: UInt64)?

  /// Notes a number, and returns it.
  mutating func note(_ count: Int, in core: RealmCore) -> Int {
    last = (count, core.epoch)
    return count
  }

  /// The number that was noted for the present state; nil where there is none.
  func count(in core: RealmCore) -> Int? {
    guard let last, last.epoch == core.epoch else { return nil }
    return last.count
  }

  /// Returns as many values as were counted, with null for each that is missing.
  ///
  /// Another number of values is a read error.
  func values(_ values: [Value], in core: RealmCore, _ name: @autoclosure () -> String) -> [Value] {
    guard let count = count(in: core), count != values.count else { return values }
    if !core.hasReadError {
      core.report(
        StoreError(
          .corrupt("\(name()) has \(values.count) elements, but \(count) were counted"),
          path: core.file.path))
    }
    return Array(values.prefix(count))
      + repeatElement(Value.null, count: max(0, count - values.count))
  }
}
