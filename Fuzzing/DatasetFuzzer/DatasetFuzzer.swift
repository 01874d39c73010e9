import CadastreDatasets
import Foundation

/// A reader under test and what holds for every file that it is given.
protocol ReaderLaws: Sendable {
  /// Stops the process if the bytes, which are also a file, break a law.
  func check(_ bytes: UnsafeBufferPointer<UInt8>, path: String)
}

/// The readers by the name that `CADASTRE_READER` has for them.
private let readers: [String: any ReaderLaws] = [
  "csv": CSVLaws(), "json": JSONLaws(framing: .document), "jsonseq": JSONLaws(framing: .sequence),
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
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    let status = runDriver(&count, &arguments) { bytes, count in
      let bytes = UnsafeBufferPointer(start: bytes, count: count)
      file.write(bytes)
      laws.check(bytes, path: file.path)
      return 0
    }
    file.remove()
    exit(status)
  }
}

/// libFuzzer with a function to call, for programs whose `main` is their own.
///
/// Source: LLVM, "libFuzzer – a library for coverage-guided fuzz testing", Using libFuzzer as a library.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Says what is wrong and gives the fuzzer its crash.
func stop(_ sentence: String) -> Never {
  FileHandle.standardError.write(Data("\(sentence)\n".utf8))
  abort()
}
