/// A pattern with the wildcards `*`, any number of characters, and `?`, exactly one.
package struct LikePattern: Sendable {
  private let pattern: [UInt8]

  /// Creates a pattern from its bytes.
  package init(_ pattern: [UInt8]) { self.pattern = pattern }

  /// Whether a text matches the pattern from start to end.
  ///
  /// Only the last `*` is tried again, so any pattern costs at most the product of both lengths.
  package func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var (place, next) = (0, 0)
    var retry: (place: Int, next: Int)?
    while place < text.count {
      if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
        retry = (place, next)
        next += 1
      } else if next < pattern.count, pattern[next] == UInt8(ascii: "?") {
        place = Self.characterEnd(text, place)
        next += 1
      } else if next < pattern.count, pattern[next] == text[place] {
        place += 1
        next += 1
      } else if let last = retry {
        retry = (last.place + 1, last.next)
        (place, next) = (last.place + 1, last.next + 1)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  private static func characterEnd(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int {
    var end = place + 1
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }
}
