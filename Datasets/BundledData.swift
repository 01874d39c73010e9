package import Foundation

/// The data sets that travel with the package.
///
/// Files are looked for at run time and may be missing, so every address is optional:
/// `Bundle.module` would stop the process where the resource bundle is not installed.
package enum BundledData {
  /// The airports of the world as CSV; see `Datasets/airports/datapackage.json`.
  package static var airportsCSV: URL? {
    file(named: "airports.csv", inRepository: "airports/airports.csv")
  }

  /// Country outlines as GeoJSON; see `Datasets/naturalearth/datapackage.json`.
  package static var countryOutlines: URL? {
    file(named: "countries.geojson", inRepository: "naturalearth/countries.geojson")
  }

  /// The first place that holds a file: beside the program, then beside this source.
  private static func file(named name: String, inRepository path: String) -> URL? {
    let repositoryFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let candidates =
      bundleFolders.map { $0.appendingPathComponent(name) }
      + [repositoryFolder.appendingPathComponent(path)]
    return candidates.first { FileManager.default.isReadableFile(atPath: $0.path) }
  }

  /// Where the resource bundle may lie: next to the executable, or next to a test bundle.
  private static var bundleFolders: [URL] {
    var parents: [URL] = []
    if let executable = Bundle.main.executableURL?.resolvingSymlinksInPath() {
      parents.append(executable.deletingLastPathComponent())
    }
    parents.append(Bundle.main.bundleURL)
    if let resources = Bundle.main.resourceURL { parents.append(resources) }
    // macOS runs tests inside `xctest`; the bundle then lies beside the .xctest folder.
    parents += Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }

    // Linux builds name the folder .resources, Apple's name it .bundle.
    return parents.flatMap { parent in
      ["resources", "bundle"].flatMap { ending in
        let bundle = parent.appendingPathComponent("cadastre_CadastreBundledData.\(ending)")
        return [bundle, bundle.appendingPathComponent("Contents/Resources")]
      }
    }
  }
}
