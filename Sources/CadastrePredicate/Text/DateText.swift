package import CadastreModel

/// The date in a text that is compared with a date: `2024-12-20`, or with a time as
/// `2024-12-20T08:30:00Z`.
package enum DateText {
  /// Parses a date; nil for other text.
  ///
  /// A date without a time is midnight. A time without an offset is in UTC.
  package static func timestamp(_ text: String) -> Timestamp? {
    guard
      let match = text.wholeMatch(
        of:
          /(\d{4})-(\d\d)-(\d\d)(?:[T@ ](\d\d):(\d\d)(?::(\d\d)(?:\.([0-9]+))?)?(Z|[+-]\d\d:?\d\d)?)?/
      )
    else { return nil }
    let number = { (text: Substring?) in text.flatMap { Int($0) } ?? 0 }
    let offset = match.8.map { $0 == "Z" ? "+00:00" : $0 } ?? "+00:00"
    let (hours, minutes) = (number(offset.dropFirst().prefix(2)), number(offset.suffix(2)))
    guard hours < 24, minutes < 60,
      let local = Timestamp(
        year: number(match.1), month: number(match.2), day: number(match.3),
        hour: number(match.4), minute: number(match.5), second: number(match.6))
    else { return nil }
    let seconds = Int64(hours * 3600 + minutes * 60) * (offset.hasPrefix("-") ? -1 : 1)
    return Timestamp(
      seconds: local.seconds - seconds, fractionDigits: Array((match.7 ?? "").utf8))
  }
}
