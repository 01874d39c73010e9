#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Array where Element: BitwiseCopyable {
  /// Reserves memory for a number of elements; for many elements in large pages, where the system has them.
  ///
  /// The first write to a page costs the system about as much as 2,000 bytes of a copy, so that arrays of a hundred
  /// megabytes take half of a sort's time in pages of 4 KiB.
  package mutating func reserve(_ count: Int) {
    guard count > capacity else { return }
    var larger: [Element] = []
    larger.reserveCapacity(count)
    larger.withUnsafeMutableBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      LargePages.advise(start, byteCount: count * MemoryLayout<Element>.stride)
    }
    // The copy writes to the pages, so that the advice comes first.
    larger.append(contentsOf: self)
    self = larger
  }

  /// Reserves memory before elements are appended that do not fit into a large array.
  ///
  /// Memory to which nothing is written takes only addresses, so that few copies are worth much of it.
  @inline(__always)
  package mutating func makeRoom(for more: Int) {
    if count + more > capacity, count > LargePages.leastElements {
      let factor = count > LargePages.mostElements ? 2 : 4
      reserve(Swift.max(count + more, factor * capacity))
    }
  }
}

/// Large pages of memory.
package enum LargePages {
  /// The number of elements from which on arrays grow in large pages.
  package static let leastElements = 1 << 17
  /// The number of elements from which on arrays only double, as systems may limit the addresses of a process.
  package static let mostElements = 1 << 24
  /// The number of bytes from which on large pages are used: two pages of the usual size.
  private static let leastBytes = 4 << 20

  /// Asks the system for large pages for memory that was allocated and not yet written.
  package static func advise(_ start: UnsafeMutableRawPointer, byteCount: Int) {
    guard byteCount >= leastBytes else { return }
    #if os(Linux)
      let pageBytes = sysconf(Int32(_SC_PAGESIZE))
      let address = UInt(bitPattern: start)
      let first = (address + UInt(pageBytes - 1)) & ~UInt(pageBytes - 1)
      let bytes = (Int(address) + byteCount - Int(first)) & ~(pageBytes - 1)
      // Without large pages the advice fails, and nothing changes.
      if let first = UnsafeMutableRawPointer(bitPattern: first), bytes > 0 {
        _ = madvise(first, bytes, MADV_HUGEPAGE)
      }
    #endif
  }
}
