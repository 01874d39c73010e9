#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The descriptors of standard input, output and error.
package enum StandardDescriptors {
  /// Opens the closed ones on `/dev/null`; a program calls it before anything else.
  ///
  /// Otherwise the next file that the program opens gets the number of a closed one, and messages or
  /// results are written into it. The input is opened for writing and the outputs for reading, so
  /// that their use is an error, as it is with a closed descriptor: results are not lost with
  /// success.
  package static func openMissing() {
    for (descriptor, access) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ] where fcntl(descriptor, F_GETFD) < 0 {
      // The system gives the lowest free number. Without `/dev/null` no file is safe.
      guard open("/dev/null", access) == descriptor else { exit(1) }
    }
  }
}
