package import Foundation

/// The size of a file, and when it was last written.
package struct FileState: Equatable, Sendable {
  package let size: Int
  private let device: dev_t
  private let inode: ino_t
  private let seconds: Int
  private let nanoseconds: Int

  package init(_ status: stat) {
    size = Int(status.st_size)
    (device, inode) = (status.st_dev, status.st_ino)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
  }
}
