import Foundation

/// What is checked; safe because the fuzzer gives its texts one after the other, on one thread.
nonisolated(unsafe) private let laws: PredicateLaws = {
  do {
    return try PredicateLaws()
  } catch {
    stop("The fleet cannot be stored: \(error)")
  }
}()

/// Gives texts to the predicate language, as libFuzzer makes them up.
@main enum PredicateFuzzer {
  static func main() {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    let status = runDriver(&count, &arguments) { bytes, count in
      laws.check(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
      return 0
    }
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
