import CadastreFormatting

/// The records of a document that is one object, but holds a table.
///
/// Two shapes are known: an array of objects in one of the members, as in the replies of many
/// services, and objects of one kind as the values of all members, by their keys.
struct JSONInnerRecords {
  /// The property with the names of members that are records.
  static let key = "key"

  /// The path to the array or object with the records; empty for the members of the document.
  let path: [String]
  /// What the user should know, as a clause.
  let notice: String

  /// Returns the records inside a document; nil if it is a record itself.
  static func found(in document: JSONRecord) -> JSONInnerRecords? {
    let parts = GeoJSONParts(document)
    guard !parts.isGeographic, !parts.isCollection else { return nil }
    return array(in: document) ?? named(in: document)
  }

  /// Returns the only array of objects among the members.
  private static func array(in document: JSONRecord) -> JSONInnerRecords? {
    var (arrays, others): ([String], [String]) = ([], [])
    for (name, value) in document.members(of: JSONRecord.root) {
      let elements = document.elements(of: value)
      let isTable =
        document[value].kind == .array && elements.contains { _ in true }
        && elements.allSatisfy { document[$0].kind == .object }
      if isTable { arrays.append(document.text(name)) } else { others.append(document.text(name)) }
    }
    guard arrays.count == 1 else { return nil }
    var notice = "the records are the elements of '\(printable(arrays[0]))'"
    if !others.isEmpty {
      notice += "; not imported: \(listed(others)). With --records . the file is one object"
    }
    return JSONInnerRecords(path: arrays, notice: notice)
  }

  /// Returns the members, if there are several and all of them are objects that share a name.
  private static func named(in document: JSONRecord) -> JSONInnerRecords? {
    var (count, first): (Int, Set<String>) = (0, [])
    for (_, value) in document.members(of: JSONRecord.root) {
      guard document[value].kind == .object else { return nil }
      let names = Set(document.members(of: value).map { document.text($0.name) })
      if count == 0 { first = names }
      guard !first.isDisjoint(with: names), !names.contains(key) else { return nil }
      count += 1
    }
    guard count > 1 else { return nil }
    return JSONInnerRecords(
      path: [],
      notice: "the records are the members of the file; their names are the property '\(key)'")
  }
}
