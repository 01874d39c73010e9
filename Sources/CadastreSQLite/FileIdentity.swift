import Foundation

/// The device and inode of a file: two paths or descriptors with the same identity refer to one file.
package struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let inode: ino_t

  /// The identity of the file at a path; nil where there is none.
  package init?(path: String) {
    var status = stat()
    // Without the closure the path would be copied, at each write transaction several times.
    guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }

  /// The identity of an open file.
  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }
}

extension FileIdentity: CustomStringConvertible {
  /// The numbers of the device and the inode.
  package var description: String { "\(UInt64(truncatingIfNeeded: device)):\(inode)" }
}
