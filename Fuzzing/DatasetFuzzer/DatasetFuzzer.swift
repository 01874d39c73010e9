import CadastreDatasets
import Foundation
import FuzzingDriver

/// The properties that a reader must have for every file.
protocol ReaderProperties: Sendable {
  /// Stops the process if a property is violated; `path` is a file with the same bytes.
  func check(_ bytes: UnsafeBufferPointer<UInt8>, path: String)
}

/// The readers by the value of `CADASTRE_READER`.
private let readers: [String: any ReaderProperties] = [
  "csv": CSVProperties(), "json": JSONProperties(framing: .document),
  "jsonseq": JSONProperties(framing: .sequence), "gzip": CSVProperties(isCompressed: true),
  "shp": ShapefileProperties(), "gpkg": GeoPackageProperties(),
]

/// The properties of the reader under test.
private let properties: any ReaderProperties = {
  let name = ProcessInfo.processInfo.environment["CADASTRE_READER"] ?? ""
  guard let properties = readers[name] else {
    stop("CADASTRE_READER is '\(name)'; expected one of \(readers.keys.sorted())")
  }
  return properties
}()

/// The file that is read; safe because the fuzzer runs its inputs one after the other on one
/// thread.
nonisolated(unsafe) private let file = FuzzedFile()

/// Runs a dataset reader on files that libFuzzer generates.
@main enum DatasetFuzzer {
  static func main() {
    let status = fuzz { bytes, count in
      let bytes = UnsafeBufferPointer(start: bytes, count: count)
      file.write(bytes)
      properties.check(bytes, path: file.path)
      return 0
    }
    file.remove()
    exit(status)
  }
}
