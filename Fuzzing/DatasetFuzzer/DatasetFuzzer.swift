import CadastreDatasets
import Foundation
import FuzzingDriver

/// A reader under test and what holds for every file that it is given.
protocol ReaderLaws: Sendable {
  /// Stops the process if the bytes, which are also a file, break a law.
  func check(_ bytes: UnsafeBufferPointer<UInt8>, path: String)
}

/// The readers by the name that `CADASTRE_READER` has for them.
private let readers: [String: any ReaderLaws] = [
  "csv": CSVLaws(), "json": JSONLaws(framing: .document), "jsonseq": JSONLaws(framing: .sequence),
  "gzip": CSVLaws(isPacked: true), "shp": ShapefileLaws(), "gpkg": GeoPackageLaws(),
]

/// What is checked.
private let laws: any ReaderLaws = {
  let name = ProcessInfo.processInfo.environment["CADASTRE_READER"] ?? ""
  guard let laws = readers[name] else {
    stop("CADASTRE_READER is '\(name)'; expected one of \(readers.keys.sorted())")
  }
  return laws
}()

/// The file that readers read; safe because the fuzzer gives its bytes one after the other, on one thread.
nonisolated(unsafe) private let file = FuzzedFile()

/// Gives files to a reader of datasets, as libFuzzer makes them up.
@main enum DatasetFuzzer {
  static func main() {
    let status = fuzz { bytes, count in
      let bytes = UnsafeBufferPointer(start: bytes, count: count)
      file.write(bytes)
      laws.check(bytes, path: file.path)
      return 0
    }
    file.remove()
    exit(status)
  }
}
