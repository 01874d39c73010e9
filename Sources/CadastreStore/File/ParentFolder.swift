extension String {
  /// The path of the folder that contains the file at this path; `.` for a name alone.
  ///
  /// Foundation's property of `NSString` stops the process for some names, such as `é`.
  package var parentFolder: String {
    let slash = UInt8(ascii: "/")
    let path = utf8.reversed().drop { $0 == slash }
    guard let end = path.firstIndex(of: slash) else { return utf8.first == slash ? "/" : "." }
    let folder = path[end...].drop { $0 == slash }
    return folder.isEmpty ? "/" : String(decoding: folder.reversed(), as: UTF8.self)
  }
}
