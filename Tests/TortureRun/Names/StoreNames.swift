import Foundation

/// A path of a store, and other paths of the same file by symbolic links.
struct StoreNames {
  /// The path without links.
  let store: String
  /// A link beside the file.
  let beside: String
  /// A link in another folder.
  let elsewhere: String
  /// The path through a link to the folder.
  let inLinkedFolder: String

  /// The paths with links.
  var links: [String] { [beside, elsewhere, inLinkedFolder] }

  /// Creates the folders and the links, and no store.
  init(in folder: String) throws {
    let manager = FileManager.default
    let (real, other) = (folder + "/real", folder + "/other")
    for folder in [real, other] {
      try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    store = real + "/store.cadastre"
    beside = real + "/beside.cadastre"
    elsewhere = other + "/elsewhere.cadastre"
    inLinkedFolder = folder + "/linked/store.cadastre"
    // One link is relative to its folder.
    try manager.createSymbolicLink(atPath: beside, withDestinationPath: "store.cadastre")
    try manager.createSymbolicLink(atPath: elsewhere, withDestinationPath: store)
    try manager.createSymbolicLink(atPath: folder + "/linked", withDestinationPath: real)
  }
}
