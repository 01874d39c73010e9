/// The position of an element on a curve over all longitudes and latitudes.
struct CurvePlace {
  let position: UInt64
  let index: Int32

  /// The bits of a position that are sorted: 24 for each axis, which is 2 metres.
  private static let sortedBits = 48
  private static let bitsPerPass = 12

  /// Returns places in the order of the most significant 48 bits of their positions.
  ///
  /// - Complexity: O(n), by radix; for few places O(n log n).
  static func sorted(_ places: [CurvePlace]) -> [CurvePlace] {
    guard places.count > 1024 else { return places.sorted { $0.position < $1.position } }
    var (source, target) = (places, places)
    for shift in stride(from: 64 - sortedBits, to: 64, by: bitsPerPass) {
      let digit = { (place: CurvePlace) in
        Int(truncatingIfNeeded: place.position >> UInt64(shift)) & (1 << bitsPerPass - 1)
      }
      var ends = [Int](repeating: 0, count: 1 << bitsPerPass + 1)
      for place in source { ends[digit(place) + 1] += 1 }
      for value in 1..<ends.count { ends[value] += ends[value - 1] }
      for place in source {
        target[ends[digit(place)]] = place
        ends[digit(place)] += 1
      }
      swap(&source, &target)
    }
    return source
  }
}

extension Envelope {
  /// The position of the middle on a Z-order curve over all longitudes and latitudes.
  var positionOnCurve: UInt64 {
    let column = ((minLongitude + maxLongitude) / 2 + 180) / 360
    let row = ((minLatitude + maxLatitude) / 2 + 90) / 180
    return Self.spread(column) | Self.spread(row) << 1
  }

  /// Returns 32 bits of a fraction from 0 to 1, with a zero bit after each of them.
  private static func spread(_ fraction: Double) -> UInt64 {
    var bits = UInt64(max(0, min(1, fraction)) * 4_294_967_295)
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333
    return (bits | bits << 1) & 0x5555_5555_5555_5555
  }
}
