import Foundation

/// The bytes of a file: a read-only memory map, or memory with its decrypted pages.
// Safe because the bytes never change after the initialiser.
final class FileBytes: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer
  private let isMapped: Bool

  /// Maps a file into memory.
  ///
  /// Pages are read when they are used, and the system may release them at any time.
  ///
  /// - Throws: ``RealmFileError`` if the file cannot be read.
  init(mapping path: String) throws(RealmFileError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw RealmFileError(path, errno == ENOENT ? .missing : Self.systemError)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw RealmFileError(path, Self.systemError) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw RealmFileError(path, .directory)
    default: throw RealmFileError(path, .unreadable(reason: "it is not a regular file"))
    }
    let count = Int(status.st_size)
    // A map of no bytes is an error of the system.
    guard count > 0 else { throw RealmFileError(path, .notARealmFile) }
    guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED
    else {
      throw RealmFileError(path, Self.systemError)
    }
    bytes = UnsafeRawBufferPointer(start: start, count: count)
    isMapped = true
  }

  /// Takes ownership of memory from `malloc` or `calloc`.
  init(owning memory: UnsafeMutableRawBufferPointer) {
    bytes = UnsafeRawBufferPointer(memory)
    isMapped = false
  }

  deinit {
    if isMapped {
      munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    } else {
      free(UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
  }

  private static var systemError: RealmFileError.Problem {
    .unreadable(reason: String(cString: strerror(errno)))
  }
}
