import CadastreSQLite
import Foundation

/// The content of a file in memory: a read-only memory map, or its decrypted pages.
// Safe because the bytes never change after the initialiser.
final class FileImage: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer
  private let map: Map?

  /// The open file behind a map, and its state when it was mapped.
  private struct Map {
    let descriptor: CInt
    let state: FileState
  }

  /// Maps a file into memory.
  ///
  /// The system reads pages at their first access, and may release them at any time.
  ///
  /// - Throws: ``RealmFileError`` if the file cannot be read.
  init(mapping path: String) throws(RealmFileError) {
    // The path may name a store that the program has open.
    let descriptor = DatabaseFiles.open(path, options: O_NONBLOCK)
    guard descriptor >= 0 else {
      throw RealmFileError(path, errno == ENOENT ? .missing : Self.systemError)
    }
    do throws(RealmFileError) {
      let state = try Self.state(of: descriptor, path)
      bytes = try Self.map(descriptor, count: state.size, path)
      map = Map(descriptor: descriptor, state: state)
    } catch {
      DatabaseFiles.close(descriptor)
      throw error
    }
  }

  /// Takes ownership of memory from `malloc` or `calloc`.
  init(owning memory: UnsafeMutableRawBufferPointer) {
    bytes = UnsafeRawBufferPointer(memory)
    map = nil
  }

  /// Checks that the mapped file has the same size and modification time as when it was mapped.
  ///
  /// - Throws: ``RealmFileError`` if the file has changed.
  func requireUnchanged(_ path: String) throws(RealmFileError) {
    guard let map else { return }
    let state = try Self.state(of: map.descriptor, path)
    guard state == map.state else { throw RealmFileError(path, .changed) }
  }

  private static func state(
    of descriptor: CInt, _ path: String
  ) throws(RealmFileError) -> FileState {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw RealmFileError(path, systemError) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return FileState(status)
    case S_IFDIR: throw RealmFileError(path, .directory)
    default: throw RealmFileError(path, .unreadable(reason: "it is not a regular file"))
    }
  }

  private static func map(
    _ descriptor: CInt, count: Int, _ path: String
  ) throws(RealmFileError) -> UnsafeRawBufferPointer {
    // `mmap` fails for zero bytes.
    guard count > 0 else { throw RealmFileError(path, .notARealmFile) }
    guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED
    else {
      throw RealmFileError(path, systemError)
    }
    return UnsafeRawBufferPointer(start: start, count: count)
  }

  deinit {
    if let map {
      munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
      DatabaseFiles.close(map.descriptor)
    } else {
      free(UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
  }

  private static var systemError: RealmFileError.Problem {
    .unreadable(reason: String(cString: strerror(errno)))
  }
}
