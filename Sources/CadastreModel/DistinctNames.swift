/// A set of distinct names, in which a repeated name gets a number.
///
///     var names = DistinctNames("_")
///     names.add("a")  // a
///     names.add("a")  // a_2
///     names.add("a")  // a_3
///
/// Adding n equal names takes O(n) steps, because each number of a name is tried once.
package struct DistinctNames: Sendable {
  /// The text between a name and its number.
  private let separator: String
  private let ignoresCase: Bool
  /// The names of the set.
  private var used: Set<String>
  /// Names that numbered names and ``addNew(_:companions:)`` avoid.
  private let reserved: Set<String>
  /// The last number that was tried for each repeated name.
  private var lastNumbers: [String: Int] = [:]
  /// The number of names that were tried; tests compare it.
  package private(set) var attempts = 0

  /// Creates a set.
  ///
  /// - Parameters:
  ///   - separator: The text between a name and its number.
  ///   - ignoresCase: Whether names that differ only in letter case are equal.
  ///   - used: Names that are in use already.
  ///   - reserved: Names that will be added with ``add(_:base:companions:)``; numbered names avoid them.
  package init(
    _ separator: String, ignoresCase: Bool = false, used: Set<String> = [],
    reserved: Set<String> = []
  ) {
    self.separator = separator
    self.ignoresCase = ignoresCase
    self.used = ignoresCase ? Set(used.map { $0.lowercased() }) : used
    self.reserved = ignoresCase ? Set(reserved.map { $0.lowercased() }) : reserved
  }

  /// Adds a name, with a number if it is in use.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - base: The text to which a number is appended; nil for the name.
  ///   - companions: Returns further names, which are added together with a name.
  /// - Returns: The added name.
  package mutating func add(
    _ name: String, base: String? = nil, companions: (String) -> [String] = { _ in [] }
  ) -> String {
    insert(name, allowsReserved: true, companions) ? name : addNumbered(base ?? name, companions)
  }

  /// Adds a name, with a number if it is in use or reserved.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - companions: Returns further names, which are added together with a name.
  /// - Returns: The added name.
  package mutating func addNew(
    _ name: String, companions: (String) -> [String] = { _ in [] }
  ) -> String {
    insert(name, allowsReserved: false, companions) ? name : addNumbered(name, companions)
  }

  private mutating func addNumbered(
    _ base: String, _ companions: (String) -> [String]
  ) -> String {
    let key = folded(base)
    var number = lastNumbers[key] ?? 1
    var candidate: String
    repeat {
      number += 1
      candidate = "\(base)\(separator)\(number)"
    } while !insert(candidate, allowsReserved: false, companions)
    lastNumbers[key] = number
    return candidate
  }

  /// Inserts a name with its companions, unless one of them is in use; returns whether it did.
  private mutating func insert(
    _ name: String, allowsReserved: Bool, _ companions: (String) -> [String]
  ) -> Bool {
    attempts += 1
    let name = folded(name)
    guard isFree(name, allowsReserved) else { return false }
    let others = companions(name).map { folded($0) }
    guard others.allSatisfy({ isFree($0, allowsReserved) }) else { return false }
    used.insert(name)
    used.formUnion(others)
    return true
  }

  private func isFree(_ name: String, _ allowsReserved: Bool) -> Bool {
    !used.contains(name) && (allowsReserved || !reserved.contains(name))
  }

  private func folded(_ name: String) -> String { ignoresCase ? name.lowercased() : name }
}
