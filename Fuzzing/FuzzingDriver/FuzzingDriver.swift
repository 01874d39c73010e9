import Foundation

/// Calls a function with generated inputs, until the time limit on the command line.
///
/// With the compilation condition `LIBFUZZER` libFuzzer generates them, which needs an instrumented build; otherwise
/// they are random changes of the corpora.
///
/// - Parameter check: The function; it returns 0, or stops the process to report a failure.
/// - Returns: The exit status for the process.
package func fuzz(
  _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt {
  #if LIBFUZZER
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    return runDriver(&count, &arguments, check)
  #else
    var driver = MutationDriver(Array(CommandLine.arguments.dropFirst()))
    driver.run(check)
    return 0
  #endif
}

#if LIBFUZZER
  /// The entry point of libFuzzer for programs that have a `main` of their own.
  ///
  /// Source: LLVM, "libFuzzer – a library for coverage-guided fuzz testing", Using libFuzzer as a
  /// library.
  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> CInt
#endif

/// Prints a message and aborts, which libFuzzer records as a crash.
package func stop(_ sentence: String) -> Never {
  FileHandle.standardError.write(Data("\(sentence)\n".utf8))
  abort()
}
