/// Degrees with minutes, seconds or a letter for the direction: `48°51′24″N`, `2 21 3 W`, `48.86N`.
enum DegreesText {
  /// Parses degrees; nil for other text, and for a direction of the other axis.
  static func degrees(_ text: String, _ axis: Axis) -> Double? {
    guard
      let match = text.trimmingBlanks().wholeMatch(
        of:
          /([NSEW])?\s*([+-]?)(\d{1,3}(?:\.\d+)?)\s*[°ºd]?\s*(?:(\d{1,2}(?:\.\d+)?)\s*['′’m]?\s*(?:(\d{1,2}(?:\.\d+)?)\s*(?:"|″|”|''|′′|s)?\s*)?)?([NSEW])?/
      ), match.1 == nil || match.6 == nil
    else { return nil }
    let minutes = match.4.flatMap { Double($0) } ?? 0
    let seconds = match.5.flatMap { Double($0) } ?? 0
    guard let whole = Double(match.3), minutes < 60, seconds < 60,
      match.4 == nil || !match.3.contains(".")
    else { return nil }
    let magnitude = whole + minutes / 60 + seconds / 3600
    guard let direction = match.1 ?? match.6 else {
      return match.2 == "-" ? -magnitude : magnitude
    }
    guard match.2.isEmpty, (axis == .latitude ? "NS" : "EW").contains(direction) else { return nil }
    return "SW".contains(direction) ? -magnitude : magnitude
  }
}
