import CadastreModel

/// A value of a type that JSON does not have, in the format of MongoDB: an object with one member
/// whose name begins with `$`.
///
/// Source: MongoDB Extended JSON specification 2.0.0, canonical and relaxed format.
struct ExtendedJSON {
  /// The type of the value.
  let type: PropertyType
  /// The node with the text of the value.
  let node: Int

  /// Interprets an object; nil if it is an ordinary object.
  init?(_ record: JSONRecord, _ object: Int) {
    var members = record.members(of: object)
    guard let (name, value) = members.next(), members.next() == nil else { return nil }
    let isText = record[value].kind == .string
    switch record.text(name) {
    case "$oid" where isText: type = .objectId
    case "$uuid" where isText: type = .UUID
    case "$date" where isText: type = .date
    case "$numberLong" where isText, "$numberInt" where isText: type = .int
    case "$numberDouble" where isText: type = .double
    case "$numberDecimal" where isText: type = .decimal128
    default: return nil
    }
    node = value
  }
}
