package import Foundation

/// The data sets that are bundled with the package.
///
/// The files are located at run time and may be missing, so every URL is optional. `Bundle.module`
/// would trap if the resource bundle is not installed.
package enum BundledData {
  /// The airports of the world as CSV; see `Datasets/airports/datapackage.json`.
  package static var airportsCSV: URL? {
    file(named: "airports.csv", inRepository: "airports/airports.csv")
  }

  /// Country outlines as GeoJSON; see `Datasets/naturalearth/datapackage.json`.
  package static var countryOutlines: URL? {
    file(named: "countries.geojson", inRepository: "naturalearth/countries.geojson")
  }

  /// Returns the first readable file, in the folders of the resource bundle and then in the
  /// repository.
  private static func file(named name: String, inRepository path: String) -> URL? {
    let repositoryFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let candidates =
      folders(ofTarget: "CadastreBundledData").map { $0.appendingPathComponent(name) }
      + [repositoryFolder.appendingPathComponent(path)]
    return candidates.first { FileManager.default.isReadableFile(atPath: $0.path) }
  }

  /// Returns the folders that may contain the resources of a target: next to the executable or next to
  /// a test bundle.
  package static func folders(ofTarget target: String) -> [URL] {
    var parents: [URL] = []
    if let executable = Bundle.main.executableURL?.resolvingSymlinksInPath() {
      parents.append(executable.deletingLastPathComponent())
    }
    parents.append(Bundle.main.bundleURL)
    if let resources = Bundle.main.resourceURL { parents.append(resources) }
    // On macOS `xctest` runs the tests, and the resource bundle is next to the .xctest bundle.
    parents += Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }

    // The folder ends in .resources on Linux and in .bundle on Apple platforms.
    return parents.flatMap { parent in
      ["resources", "bundle"].flatMap { ending in
        let bundle = parent.appendingPathComponent("cadastre_\(target).\(ending)")
        return [bundle, bundle.appendingPathComponent("Contents/Resources")]
      }
    }
  }
}
