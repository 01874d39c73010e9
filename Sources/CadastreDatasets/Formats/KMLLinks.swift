/// A reader of the placemarks of a KML file and of the files of its archive that network links name.
///
/// The links of linked files are not followed, because they may lead back.
final class LinkedKMLReader: FeatureSource {
  private let main: KMLReader
  /// The file of a network link that is being read; nil for the first file.
  private var linked: (reader: KMLReader, member: ArchiveMember)?
  /// The number of linked files that were opened.
  private var linksRead = 0
  /// The names of the files of the archive; nil before the first link.
  private var members: Set<String>?

  /// Opens a file.
  init(path: String) throws(DatasetError) { main = try KMLReader(path: path) }

  var path: String { main.path }
  var progressBytes: Int { main.progressBytes }
  var totalBytes: Int? { main.totalBytes }
  var notices: ReaderNotices { main.notices }

  func nextFeature() throws(DatasetError) -> FeatureContent? {
    while true {
      if let linked {
        do throws(DatasetError) {
          if let feature = try linked.reader.nextFeature() { return feature }
        } catch {
          // A rejected record stays one.
          if error.scope == .row { throw error }
          throw failure(error, in: linked.member)
        }
        for notice in linked.reader.notices.clauses { notices.add(notice) }
        if !linked.reader.links.isEmpty { notices.add(KMLReader.skippedLink) }
      } else if let feature = try main.nextFeature() {
        return feature
      }
      guard try openLink() else { return nil }
    }
  }

  /// Opens the next file that a network link names; returns false if there is none.
  private func openLink() throws(DatasetError) -> Bool {
    linked = nil
    while linksRead < main.links.count {
      let name = main.links[linksRead]
      linksRead += 1
      guard try memberNames().contains(name), let member = try ArchiveMember("\(path)/\(name)")
      else {
        notices.add(KMLReader.skippedLink)
        continue
      }
      do throws(DatasetError) {
        linked = (try KMLReader(path: member.path), member)
      } catch {
        throw failure(error, in: member)
      }
      return true
    }
    return false
  }

  /// Returns the names of the files of the archive; none of a file that is no archive.
  private func memberNames() throws(DatasetError) -> Set<String> {
    if let members { return members }
    var names: Set<String> = []
    if path.lowercased().hasSuffix(".kmz") {
      names = Set(try ZipArchive(path: path).entries.map(\.name))
    }
    members = names
    return names
  }

  /// Returns the error of a linked file as that of the archive, with the name of the linked file.
  private func failure(_ error: DatasetError, in member: ArchiveMember) -> DatasetError {
    var named = error
    named.path = member.name
    return DatasetError(path: path, problem: .unreadable(reason: "the linked file \(named)"))
  }
}

// Not Sendable: every call moves the position in the file.
@available(*, unavailable)
extension LinkedKMLReader: Sendable {}
