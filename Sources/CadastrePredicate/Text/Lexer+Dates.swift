import CadastreModel

/// Reads moments.
extension Lexer {
  /// `T<seconds>:<nanoseconds>`, both signed alike; nil if the text is something else.
  mutating func epochTimestamp() throws(QueryPredicateError) -> Timestamp? {
    let start = position
    position += 1
    let sign = peek() == "-" ? "-" : ""
    position += sign.count
    let seconds = digitRun()
    guard !seconds.isEmpty, peek() == ":" else {
      position = start
      return nil
    }
    position += 1
    let nanosecondSign = peek() == "-" ? "-" : ""
    position += nanosecondSign.count
    let nanoseconds = digitRun()
    guard let whole = Int64(sign + seconds), let fraction = Int64(nanosecondSign + nanoseconds),
      fraction.magnitude < UInt64(Timestamp.nanosecondsPerSecond),
      fraction == 0 || whole == 0 || (whole < 0) == (fraction < 0)
    else {
      throw syntaxError(
        "expected T<seconds>:<nanoseconds> with one sign and less than 1e9 nanoseconds",
        from: start)
    }
    return Timestamp(seconds: whole, nanoseconds: fraction)
  }

  /// `2001-05-01@12:00:00` or with `T`, nanoseconds after a fourth colon, always UTC; nil if the
  /// text is something else.
  mutating func calendarTimestamp() throws(QueryPredicateError) -> Timestamp? {
    let start = position
    var fields: [Int] = []
    for separators: [Unicode.Scalar] in [["-"], ["-"], ["@", "T"], [":"], [":"]] {
      guard let field = Int(digitRun()), let mark = peek(), separators.contains(mark) else {
        if fields.count < 2 {
          position = start
          return nil
        }
        throw syntaxError("expected a date such as 2001-05-01@12:00:00", from: start)
      }
      fields.append(field)
      position += 1
    }
    let second = Int(digitRun())
    var nanoseconds: Int64? = 0
    if peek() == ":" {
      position += 1
      nanoseconds = Int64(digitRun())
    } else if peek() == "Z" {
      position += 1
    }
    guard let second, let nanoseconds, nanoseconds < Timestamp.nanosecondsPerSecond,
      let whole = Timestamp(
        year: fields[0], month: fields[1], day: fields[2], hour: fields[3], minute: fields[4],
        second: second)
    else { throw syntaxError("expected a valid date", from: start) }
    return Timestamp(seconds: whole.seconds, nanoseconds: nanoseconds)
  }
}
