/// Returns a file name quoted as one word of a command line, for any POSIX shell.
///
/// A name that begins with a dash gets `./` before it, because it would be read as an option.
package func shellQuoted(_ text: String) -> String {
  let plain = text.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ":"):
      true
    default: false
    }
  }
  guard plain, !text.isEmpty, !text.hasPrefix("-") else {
    let dashed = text.hasPrefix("-") ? "./" + text : text
    return "'" + dashed.replacing("'", with: "'\\''") + "'"
  }
  return text
}
