#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The buffered values of a leaf: numbers as words, or byte arrays.
struct LeafValues {
  /// The numbers, or the end offsets of byte arrays in `bytes`.
  private(set) var words: [UInt64] = []
  private(set) var bytes: [UInt8] = []
  let type: PhysicalType

  init(_ type: PhysicalType) { self.type = type }

  var count: Int { words.count }

  /// Whether the values are byte arrays.
  var areBytes: Bool { type == .byteArray || type == .fixedBytes }

  mutating func append(_ word: UInt64) { words.append(word) }

  mutating func append(words: [UInt64]) { self.words.append(contentsOf: words) }

  mutating func append(_ value: some Sequence<UInt8>) {
    bytes.append(contentsOf: value)
    words.append(UInt64(bytes.count))
  }

  mutating func removeAll() {
    words.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Returns the range of a byte array.
  func range(_ index: Int) -> Range<Int> {
    (index == 0 ? 0 : Int(words[index - 1]))..<Int(words[index])
  }

  /// Returns the PLAIN encoding of values.
  func plain(_ indexes: some Sequence<Int>) -> [UInt8] {
    var output: [UInt8] = []
    switch type {
    case .boolean:
      var bit = 0
      for index in indexes {
        if bit & 7 == 0 { output.append(0) }
        output[bit >> 3] |= UInt8(truncatingIfNeeded: words[index]) << UInt8(bit & 7)
        bit += 1
      }
    case .float, .int32:
      for index in indexes { output.appendWord(UInt32(truncatingIfNeeded: words[index])) }
    case .int64, .double, .int96:
      for index in indexes { output.appendWord(words[index]) }
    case .byteArray:
      for index in indexes {
        let range = range(index)
        output.appendWord(UInt32(range.count))
        output += bytes[range]
      }
    case .fixedBytes:
      for index in indexes { output += bytes[range(index)] }
    }
    return output
  }

  // MARK: Dictionary

  /// A dictionary of distinct values.
  struct Dictionary {
    /// The index of the first occurrence of each distinct value.
    var values: [Int] = []
    /// The index of each value in the dictionary.
    var indexes: [UInt32] = []
  }

  private static let maximumDictionaryBytes = 1 << 20

  /// Returns a dictionary of the values; nil if it would not save space.
  func dictionary() -> Dictionary? {
    guard type != .boolean, count > 0 else { return nil }
    var dictionary = Dictionary()
    dictionary.indexes.reserveCapacity(count)
    let limit = count / 2 + 1
    var mask = 1023
    var slots = [UInt32](repeating: .max, count: mask + 1)
    var size = 0
    for index in 0..<count {
      var slot = hash(index) & mask
      while slots[slot] != .max, !isEqual(index, dictionary.values[Int(slots[slot])]) {
        slot = (slot + 1) & mask
      }
      if slots[slot] == .max {
        size += areBytes ? range(index).count + 4 : 8
        guard dictionary.values.count < limit, size <= Self.maximumDictionaryBytes else {
          return nil
        }
        slots[slot] = UInt32(dictionary.values.count)
        dictionary.values.append(index)
        if dictionary.values.count * 2 > mask {
          mask = mask * 4 + 3
          slots = [UInt32](repeating: .max, count: mask + 1)
          for (number, value) in dictionary.values.enumerated() {
            var slot = hash(value) & mask
            while slots[slot] != .max { slot = (slot + 1) & mask }
            slots[slot] = UInt32(number)
          }
          dictionary.indexes.append(UInt32(dictionary.values.count - 1))
          continue
        }
      }
      dictionary.indexes.append(slots[slot])
    }
    return dictionary
  }

  private func hash(_ index: Int) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    if areBytes {
      bytes.withUnsafeBufferPointer { bytes in
        for place in range(index) { hash = (hash ^ UInt64(bytes[place])) &* 0x100_0000_01b3 }
      }
    } else {
      hash = (hash ^ words[index]) &* 0x9e37_79b9_7f4a_7c15
    }
    return Int(truncatingIfNeeded: (hash ^ hash >> 29) & 0xFFFF_FFFF)
  }

  private func isEqual(_ first: Int, _ second: Int) -> Bool {
    areBytes ? order(first, second) == 0 : words[first] == words[second]
  }

  // MARK: Statistics

  /// The maximum size of a byte array in statistics, in bytes.
  private static let maximumBound = 64

  /// Returns the bounds of a range of values in PLAIN encoding; nil if there are none.
  func bounds(_ indexes: Range<Int>) -> (minimum: [UInt8], maximum: [UInt8])? {
    switch type {
    case .boolean, .int64, .int32, .int96:
      let numbers = words[indexes].lazy.map { Int64(bitPattern: $0) }
      guard let minimum = numbers.min(), let maximum = numbers.max() else { return nil }
      if type == .boolean { return ([UInt8(minimum)], [UInt8(maximum)]) }
      if type == .int32 {
        return (
          Self.word(UInt32(truncatingIfNeeded: minimum)),
          Self.word(UInt32(truncatingIfNeeded: maximum))
        )
      }
      return (Self.word(UInt64(bitPattern: minimum)), Self.word(UInt64(bitPattern: maximum)))
    case .double:
      return floating(indexes) {
        Double(bitPattern: $0)
      } write: {
        Self.word($0.bitPattern)
      }
    case .float:
      return floating(indexes) {
        Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0)))
      } write: { number in
        var bytes: [UInt8] = []
        bytes.appendWord(Float(number).bitPattern)
        return bytes
      }
    case .byteArray, .fixedBytes:
      guard let first = indexes.first else { return nil }
      var (minimum, maximum) = (first, first)
      for index in indexes.dropFirst() {
        if isLess(index, minimum) { minimum = index }
        if isLess(maximum, index) { maximum = index }
      }
      let bounds = (Array(bytes[range(minimum)]), Array(bytes[range(maximum)]))
      guard bounds.0.count <= Self.maximumBound, bounds.1.count <= Self.maximumBound else {
        return nil
      }
      return bounds
    }
  }

  private func isLess(_ first: Int, _ second: Int) -> Bool {
    order(first, second) < 0
  }

  /// Negative where a byte array sorts before another one, 0 where they are equal.
  private func order(_ first: Int, _ second: Int) -> Int {
    let (one, other) = (range(first), range(second))
    let order = bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return Int(
        memcmp(base + one.lowerBound, base + other.lowerBound, min(one.count, other.count)))
    }
    return order == 0 ? one.count - other.count : order
  }

  private static func word(_ word: some FixedWidthInteger) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendWord(word)
    return bytes
  }

  /// Returns the bounds of numbers without NaN; a bound of zero has the sign that includes both zeros.
  private func floating(
    _ indexes: Range<Int>, _ number: (UInt64) -> Double, write: (Double) -> [UInt8]
  ) -> ([UInt8], [UInt8])? {
    var (minimum, maximum) = (Double.infinity, -Double.infinity)
    var hasNumber = false
    for word in words[indexes] {
      let value = number(word)
      guard !value.isNaN else { continue }
      hasNumber = true
      if value < minimum { minimum = value }
      if value > maximum { maximum = value }
    }
    guard hasNumber else { return nil }
    return (write(minimum == 0 ? -0.0 : minimum), write(maximum == 0 ? 0 : maximum))
  }
}
