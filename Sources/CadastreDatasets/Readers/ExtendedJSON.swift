import CadastreModel

/// The types that JSON lacks, as MongoDB's tools write them: an object with one member whose name
/// begins with `$`.
///
/// Source: MongoDB Extended JSON specification 2.0.0, canonical and relaxed form.
struct ExtendedJSON {
  /// The type that is meant.
  let type: PropertyType
  /// The node with its text.
  let node: Int

  /// Looks at an object; nil where it is an object like any other.
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
