import CadastreColumnar
import Foundation
import FuzzingDriver

/// Reads FlatGeobuf files that libFuzzer generates.
///
/// - Reading ends, with records or with an error that has a message.
/// - A file has no more features than it can contain.
@main enum FlatGeobufFuzzer {
  static func main() {
    exit(
      fuzz { bytes, count in
        let bytes = Array(UnsafeBufferPointer(start: bytes, count: count))
        FlatGeobufFuzzer.check(bytes, nil)
        FlatGeobufFuzzer.check(
          bytes, ColumnarBox(west: -10, south: -10, east: 10, north: 10))
        return 0
      })
  }

  private static func check(_ bytes: [UInt8], _ box: ColumnarBox?) {
    do throws(ColumnarError) {
      let reader = try FlatGeobufReader(ColumnarFile(bytes: bytes), box: box)
      var record = ColumnarRecord()
      var count = 0
      while try reader.next(&record) {
        count += 1
        if count > bytes.count { stop("the file has more features than it can contain") }
      }
    } catch {
      if error.description.isEmpty { stop("an error without a message") }
    }
  }
}
