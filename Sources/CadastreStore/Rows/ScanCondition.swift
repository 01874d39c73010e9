package import CadastreModel
import CadastreSQLite
import Foundation

/// A condition on a column that SQLite tests while it reads all rows, so that rows which cannot
/// match are not copied.
///
/// It holds for each row whose value matches, and may hold for others.
package struct ScanCondition: Sendable {
  /// The index of the column among the requested ones.
  let column: Int
  /// The ranges; the value lies in one of them.
  private let ranges: [Range]

  /// A range of values.
  package struct Range: Sendable {
    let lower: Value
    /// The upper end; nil for an open one.
    let upper: Value?
    var includesUpper = true

    /// The values between two values, both included.
    package static func closed(_ lower: Value, _ upper: Value) -> Range {
      Range(lower: lower, upper: upper, includesUpper: true)
    }

    /// The fractions between two fractions, both included.
    package static func closed(_ lower: Double, _ upper: Double) -> [Range] {
      // Negative zero is stored and bound as bytes, which sort after all numbers; adding 0 makes it 0.
      let range = Range(lower: .double(lower + 0), upper: .double(upper + 0), includesUpper: true)
      return lower <= 0 && upper >= 0 ? [range, Range(lower: .data(Data()), upper: nil)] : [range]
    }

    /// The texts that begin with a text, which is not empty.
    package static func prefix(_ text: String) -> Range {
      Range(lower: .string(text), upper: next(after: text).map(Value.string), includesUpper: false)
    }

    /// Returns the least text above all that begin with a text; nil where there is none.
    private static func next(after text: String) -> String? {
      var scalars = Array(text.unicodeScalars)
      while let last = scalars.popLast() {
        // Surrogates are no characters.
        let code = last.value == 0xD7FF ? 0xE000 : last.value + 1
        if let next = Unicode.Scalar(code) {
          return String(String.UnicodeScalarView(scalars + [next]))
        }
      }
      return nil
    }
  }

  /// A condition that a value lies in one of some ranges.
  package init(column: Int, ranges: [Range]) {
    self.column = column
    self.ranges = ranges
  }

  /// Returns the condition as SQL, given the name of the column.
  func sql(_ name: String) -> String {
    // The sign keeps SQLite from using an index, which would need a sort.
    let parts = ranges.map { range in
      range.upper == nil
        ? "+\(name) >= ?" : "+\(name) >= ? AND +\(name) \(range.includesUpper ? "<=" : "<") ?"
    }
    return "(\(parts.joined(separator: " OR ")))"
  }

  /// The values of the parameters in the SQL.
  var arguments: [Value] { ranges.flatMap { [$0.lower] + ($0.upper.map { [$0] } ?? []) } }
}
