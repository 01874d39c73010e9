import CadastreModel
import Foundation

/// The stored form of a date.
///
/// SQLite orders these numbers like the dates: REAL values lie below and above all integers.
enum StoredDate {
  /// Nanoseconds since 1970 in 64 bits: from 1677 to 2262.
  case nanoseconds(Int64)
  /// Seconds since 2001, times 2^31, for other years.
  case scaled(Double)
  /// The bits of the seconds since 2001, for a date between two nanoseconds in the days around 2001-01-01,
  /// and for a date that cannot be scaled.
  ///
  /// SQLite sorts these bytes after all numbers.
  case bits(UInt64)

  private static let scale = 0x1p31

  init(_ timestamp: Timestamp) {
    if let nanoseconds = timestamp.nanosecondsSince1970 {
      self = .nanoseconds(nanoseconds)
      return
    }
    let interval = timestamp.date.timeIntervalSinceReferenceDate
    let scaled = interval * Self.scale
    let isBetweenNanoseconds = scaled.magnitude < 0x1p63
    self =
      isBetweenNanoseconds || scaled.isInfinite && interval.isFinite
      ? .bits(interval.bitPattern) : .scaled(scaled)
  }

  /// The timestamp.
  var timestamp: Timestamp {
    switch self {
    case .nanoseconds(let number): Timestamp(seconds: 0, nanoseconds: number)
    case .scaled(let number): Timestamp(sinceReferenceDate: number / Self.scale)
    case .bits(let bits): Timestamp(sinceReferenceDate: Double(bitPattern: bits))
    }
  }

  /// Returns whether a number is the stored form of a date beyond the years of nanoseconds.
  static func isScaled(_ number: Double) -> Bool {
    guard case .scaled(let scaled) = StoredDate(StoredDate.scaled(number).timestamp) else {
      return false
    }
    return scaled == number
  }

  /// Returns the greatest value that is stored as a number and is not after a date.
  static func number(before timestamp: Timestamp) -> Value {
    guard case .bits(let bits) = StoredDate(timestamp) else { return .date(timestamp) }
    let interval = Double(bitPattern: bits)
    if interval.magnitude < 1e9 {
      let nearest = Timestamp(
        seconds: timestamp.seconds, nanoseconds: Int64(timestamp.nanoseconds))
      return .date(
        nearest <= timestamp
          ? nearest
          : Timestamp(
            seconds: timestamp.seconds, nanoseconds: Int64(timestamp.nanoseconds) - 1))
    }
    return .double(interval < 0 ? -.infinity : .greatestFiniteMagnitude)
  }
}

extension Timestamp {
  fileprivate init(sinceReferenceDate interval: Double) {
    self.init(Date(timeIntervalSinceReferenceDate: interval))
  }
}
