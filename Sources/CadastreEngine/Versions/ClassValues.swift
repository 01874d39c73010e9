/// Values by the names of classes.
///
/// Consecutive accesses are mostly to one class. It is found by comparing its name, which takes a tenth of the
/// time of hashing it.
struct ClassValues<Value: Sendable>: Sendable {
  private var indexes: [String: Int] = [:]
  private var names: [String] = []
  private var values: [Value] = []
  /// The index of the value that was changed last.
  private var last = 0

  /// The value of a class; nil where there is none.
  subscript(className: String) -> Value? { index(of: className).map { values[$0] } }

  /// The value of a class, which is the default until it is changed.
  subscript(className: String, default initial: @autoclosure () -> Value) -> Value {
    get { self[className] ?? initial() }
    _modify {
      if let index = index(of: className) {
        last = index
      } else {
        last = values.count
        indexes[className] = last
        names.append(className)
        values.append(initial())
      }
      yield &values[last]
    }
  }

  private func index(of className: String) -> Int? {
    if last < names.count, names[last] == className { return last }
    return indexes[className]
  }
}
