import Foundation

/// Gives bytes to a function, as libFuzzer makes them up, until the time that was asked for is over.
///
/// - Parameter check: Looks at the bytes and returns 0, or stops the process.
/// - Returns: The status to exit with.
package func fuzz(
  _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt {
  var count = CommandLine.argc
  var arguments = CommandLine.unsafeArgv
  return runDriver(&count, &arguments, check)
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
package func stop(_ sentence: String) -> Never {
  FileHandle.standardError.write(Data("\(sentence)\n".utf8))
  abort()
}
