import CadastreColumnar
import CadastreModel
import Foundation
import FuzzingDriver

/// Reads Parquet files that libFuzzer generates.
///
/// - Reading ends, with records or with an error that has a message.
/// - Every record has a value for each field.
@main enum ParquetFuzzer {
  /// The maximum number of records that are read: a few bytes can stand for many equal rows.
  private static let maximumRecords = 2000

  static func main() {
    exit(
      fuzz { bytes, count in
        let bytes = Array(UnsafeBufferPointer(start: bytes, count: count))
        ParquetFuzzer.check(bytes, ParquetReader.Selection())
        var selection = ParquetReader.Selection()
        selection.box = ColumnarBox(west: -10, south: -10, east: 10, north: 10)
        selection.intervals = [ColumnarInterval(column: "id", lower: .int(3), upper: .int(5))]
        ParquetFuzzer.check(bytes, selection)
        return 0
      })
  }

  private static func check(_ bytes: [UInt8], _ selection: ParquetReader.Selection) {
    do throws(ColumnarError) {
      let reader = try ParquetReader(ColumnarFile(bytes: bytes), selection)
      var record = ColumnarRecord()
      var count = 0
      while count < maximumRecords, try reader.next(&record) {
        if record.values.count != reader.fields.count { stop("a record lacks a field") }
        count += 1
      }
    } catch {
      if error.description.isEmpty { stop("an error without a message") }
    }
  }
}
