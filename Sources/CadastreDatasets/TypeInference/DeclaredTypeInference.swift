import CadastreFormatting
import CadastreModel

/// Type inference for a field with a declared type.
///
/// The values of a GeoPackage may have other types than declared, as in any SQLite file.
struct DeclaredTypeInference {
  private let declared: PropertyType
  private var counts: [PropertyType: Int] = [:]
  private var firstRecords: [PropertyType: Int] = [:]
  /// Whether a null was observed.
  private(set) var sawNull = false

  /// Whether no value was observed.
  var isEmpty: Bool { counts.isEmpty }

  init(_ declared: PropertyType) { self.declared = declared }

  /// Observes the value of a record.
  mutating func observe(_ value: Value, record: Int) {
    guard let type = value.type else {
      sawNull = true
      return
    }
    counts[type, default: 0] += 1
    if counts[type] == 1 { firstRecords[type] = record }
  }

  /// The declared type if all values have it, else the narrowest type of all values.
  var shape: DatasetShape {
    let types = Set(counts.keys)
    if types.isEmpty { return .nothing(declared) }
    if types.isSubset(of: [declared]) { return .scalar(declared) }
    if types.count == 1, let only = types.first { return .scalar(only) }
    return .scalar(types.isSubset(of: [.int, .double]) ? .double : .any)
  }

  /// The reason for the type.
  var reason: String {
    let types = counts.keys.sorted { firstRecords[$0, default: 0] < firstRecords[$1, default: 0] }
    if types.isEmpty { return "declared as \(declared), and there are no values" }
    if types == [declared] { return "declared as \(declared)" }
    let first = types.map { "a \($0) in record \(grouped(firstRecords[$0, default: 0]))" }
    return "declared as \(declared), but there is " + first.joined(separator: ", ")
  }
}
