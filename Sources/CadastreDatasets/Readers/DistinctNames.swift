import CadastreFormatting

/// Distinct names for the columns of a header.
///
/// A column without a name is named by its number, `column3`. Of columns with the same name the
/// second one gets the number 2, `name_2`.
struct DistinctNames {
  /// The names, not empty and distinct.
  private(set) var names: [String] = []
  /// The changed names, one clause each.
  private(set) var notices: [String] = []

  /// Creates distinct names from those of a header.
  init(_ header: [String]) {
    let given = Set(header)
    var used: Set<String> = []
    for (index, name) in header.enumerated() {
      let base = name.isEmpty ? "column\(index + 1)" : name
      var candidate = base
      var number = 1
      while used.contains(candidate) || candidate != name && given.contains(candidate) {
        number += 1
        candidate = "\(base)_\(number)"
      }
      used.insert(candidate)
      names.append(candidate)
      guard candidate != name else { continue }
      notices.append(
        name.isEmpty
          ? "column \(index + 1) has no name and becomes '\(candidate)'"
          : "column \(index + 1) is another '\(printable(name))' and becomes "
            + "'\(printable(candidate))'")
    }
  }
}
