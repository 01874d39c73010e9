import CadastreFormatting
import CadastreModel

/// Type inference for the columns of a text table.
///
/// A column is an int if all values are integers, a double if all are numbers, and a bool (as a
/// word), date or uuid if all are that; otherwise it is a string. A column stays a string if a
/// number would lose information: `00123`, `+49 30 1234`, integers of more than 64 bits, and
/// integers beyond 2⁵³ together with fractions. Nulls do not affect the type.
package struct ColumnTypeInference: Sendable {
  private let header: [String]
  private let text: TextFields
  private var columns: [TextTypeInference]
  private var sawNull: [Bool]

  /// Creates an inference without observations.
  init(header: [String], text: TextFields = TextFields()) {
    self.header = header
    self.text = text
    columns = header.map { _ in TextTypeInference() }
    sawNull = header.map { _ in false }
  }

  /// Observes a row, which must have as many fields as the header.
  mutating func observe(_ record: CSVRecord) {
    for index in columns.indices {
      record.withField(index) { bytes in
        if text.isNull(bytes) {
          sawNull[index] = true
        } else {
          text.withNumber(bytes) {
            columns[index].observe($0, line: record.lineNumber, date: text.date)
          }
        }
      }
    }
  }

  /// The inferred fields, in the order of the header.
  package var fields: [DatasetField] {
    zip(header, zip(columns, sawNull)).map { name, column in
      let (values, sawNull) = column
      return DatasetField(
        name: name, shape: values.count > 0 ? .scalar(values.type) : .nothing(.string),
        isOptional: sawNull || values.count == 0, isDay: values.isDay, reason: values.reason,
        nullWord: values.nullWord.map { word in
          "'\(word.word)' in \(counted(word.count, "row")); with --null '\(word.word)' it is "
            + articled(word.type)
        })
    }
  }
}
