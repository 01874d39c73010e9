#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The descriptors of standard input, output and error.
package enum StandardDescriptors {
  /// Opens closed standard descriptors on `/dev/null`; a program calls this function first.
  ///
  /// Otherwise the next file that the program opens gets the number of a closed descriptor, and
  /// receives messages or results. The input is opened for writing and the outputs for reading, so
  /// that their use remains an error, as with a closed descriptor.
  package static func openMissing() {
    for (descriptor, access) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ] where fcntl(descriptor, F_GETFD) < 0 {
      // The system assigns the lowest free number. Without `/dev/null` a file would get the number.
      guard open("/dev/null", access) == descriptor else { exit(1) }
    }
  }
}
