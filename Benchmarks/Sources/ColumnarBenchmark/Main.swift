import CadastreColumnar
import Foundation

/// Reads all records of a Parquet file and prints their number and the processor time in seconds.
///
/// The argument is the file; one thread reads it.
@main enum ColumnarBenchmark {
  static func main() throws {
    let path = CommandLine.arguments.dropFirst().first ?? ""
    let start = clock()
    let reader = try ParquetReader(ColumnarFile(path: path))
    var record = ColumnarRecord()
    var count = 0
    while try reader.next(&record) { count += 1 }
    print(count, Double(clock() - start) / Double(CLOCKS_PER_SEC))
  }
}
