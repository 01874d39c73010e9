/// Returns an integer in decimal with commas between thousands: `1,234,567`.
package func grouped(_ number: Int) -> String {
  let digits = String(number.magnitude)
  var result = number < 0 ? "-" : ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index) % 3 == 0 { result += "," }
    result.append(digit)
  }
  return result
}

/// Returns a number and its noun, in the plural unless the number is 1: `2 columns`.
package func counted(_ number: Int, _ noun: String) -> String {
  "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
}

/// Returns a noun with its indefinite article: `an int`, `a double`.
package func articled(_ noun: some CustomStringConvertible) -> String {
  let noun = noun.description
  return "\("aeio".contains(noun.prefix(1).lowercased()) && !noun.isEmpty ? "an" : "a") \(noun)"
}
