import CadastreRealmFile
import Foundation
import FuzzingDriver
import RealmFileTestSupport

/// The file that is read; safe because the fuzzer runs its inputs one after the other on one
/// thread.
nonisolated(unsafe) private let file = FuzzedFile()

/// Reads Realm files that libFuzzer generates.
///
/// - Reading ends, with values or with errors that have messages.
/// - No object is read more often than the file has bits.
@main enum RealmFileFuzzer {
  static func main() {
    let status = fuzz { bytes, count in
      file.write(UnsafeBufferPointer(start: bytes, count: count))
      RealmFileFuzzer.check(count)
      return 0
    }
    file.remove()
    exit(status)
  }

  private static func check(_ size: Int) {
    do throws(RealmFileError) {
      let reading = try CompleteReading(path: file.path)
      if reading.objects > 256 * size { stop("the file has more objects than it can contain") }
      if reading.damage.contains(where: \.description.isEmpty) {
        stop("an error without a message")
      }
      _ = try RealmFile(path: file.path).backlinkReports()
    } catch {
      if error.description.isEmpty { stop("an error without a message") }
    }
  }
}
