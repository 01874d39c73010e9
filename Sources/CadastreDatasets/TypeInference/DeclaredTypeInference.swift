import CadastreFormatting
import CadastreModel

/// What the values of a field with a declared type have in common so far.
///
/// In a GeoPackage values may be of other types than declared, as in any SQLite file.
struct DeclaredTypeInference {
  private let declared: PropertyType
  private var counts: [PropertyType: Int] = [:]
  private var firstRecords: [PropertyType: Int] = [:]
  private(set) var sawNull = false

  /// Whether there was no value.
  var isEmpty: Bool { counts.isEmpty }

  init(_ declared: PropertyType) { self.declared = declared }

  /// Takes the value of a record into account.
  mutating func observe(_ value: Value, record: Int) {
    guard let type = value.type else {
      sawNull = true
      return
    }
    counts[type, default: 0] += 1
    if counts[type] == 1 { firstRecords[type] = record }
  }

  /// The declared type where all values have it, else what holds them all.
  var shape: DatasetShape {
    let found = Set(counts.keys)
    if found.isEmpty { return .nothing(declared) }
    if found.isSubset(of: [declared]) { return .scalar(declared) }
    if found.count == 1, let only = found.first { return .scalar(only) }
    return .scalar(found.isSubset(of: [.int, .double]) ? .double : .any)
  }

  /// Why it is that shape.
  var reason: String {
    let found = counts.keys.sorted { firstRecords[$0, default: 0] < firstRecords[$1, default: 0] }
    if found.isEmpty { return "declared as \(declared), and there are no values" }
    if found == [declared] { return "declared as \(declared)" }
    let first = found.map { "a \($0) in record \(grouped(firstRecords[$0, default: 0]))" }
    return "declared as \(declared), and there is " + first.joined(separator: ", ")
  }
}
