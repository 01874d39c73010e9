import CadastreFormatting
import CadastreModel

/// Distinct names for the columns of a header.
///
/// A column without a name is named by its number, `column3`. Of columns with the same name the
/// second one gets the number 2, `name_2`.
struct HeaderNames {
  /// The names, not empty and distinct.
  private(set) var names: [String] = []
  /// The changed names, one clause each.
  private(set) var notices: [String] = []

  /// Creates distinct names from those of a header.
  init(_ header: [String]) {
    var distinct = DistinctNames("_", reserved: Set(header))
    for (index, name) in header.enumerated() {
      let new = name.isEmpty ? distinct.addNew("column\(index + 1)") : distinct.add(name)
      names.append(new)
      guard new != name else { continue }
      notices.append(
        name.isEmpty
          ? "column \(index + 1) has no name and becomes '\(printable(new))'"
          : "column \(index + 1) is another '\(printable(name))' and becomes "
            + "'\(printable(new))'")
    }
  }
}
