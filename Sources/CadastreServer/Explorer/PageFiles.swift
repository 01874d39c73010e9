import CadastreBundledData
import Foundation

/// The files of the explorer's page, in memory.
struct PageFiles: Sendable {
  private let files: [String: ServerReply]

  /// The content security policy of the page: no resources of other hosts, no inline scripts.
  private static let policy =
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    + "frame-ancestors 'none'; base-uri 'self'; form-action 'self'"

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
    "geojson": "application/geo+json", "txt": "text/plain; charset=utf-8",
  ]

  /// Reads all files; unreadable files are skipped.
  init() {
    var files: [String: ServerReply] = [:]
    let folder = Self.folder
    let names =
      folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0.path) } ?? []
    var sources = names.compactMap { name in folder.map { (name, $0.appending(path: name)) } }
    if let outlines = BundledData.countryOutlines {
      sources.append(("countries.geojson", outlines))
    }
    for (name, url) in sources {
      guard let content = try? Data(contentsOf: url),
        let type = Self.types[String(name.split(separator: ".").last ?? "")]
      else { continue }
      var reply = ServerReply(Array(content), type)
      reply.headers = [
        ("Content-Security-Policy", Self.policy), ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-cache"),
      ]
      files[name] = reply
    }
    self.files = files
  }

  /// The folder `Page` in the resources of the target, or in the repository.
  private static var folder: URL? {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let parents =
      BundledData.folders(ofTarget: "CadastreServer") + [repository]
    return parents.map { $0.appending(path: "Page") }.first {
      FileManager.default.isReadableFile(atPath: $0.appending(path: "index.html").path)
    }
  }

  /// Returns the file with a name; nil for none.
  subscript(name: String) -> ServerReply? { files[name] }
}
