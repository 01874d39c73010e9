// swift-tools-version: 6.2
import PackageDescription

// Targets stand in the order in which a question travels through them; a target may import only
// what stands above it. CI builds with `--explicit-target-dependency-import-check error`.
let package = Package(
  name: "cadastre",
  platforms: [.macOS(.v15)],
  products: [.library(name: "CadastreGeometry", targets: ["CadastreGeometry"])],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CGEOS", pkgConfig: "geos",
      providers: [.apt(["libgeos-dev"]), .brew(["geos"])]),
    .target(name: "CadastreGeometry", dependencies: ["CGEOS"]),
    .target(name: "CadastreModel", dependencies: ["CadastreGeometry"]),
    .target(name: "CadastrePredicate", dependencies: ["CadastreModel", "CadastreGeometry"]),
    .target(
      name: "CadastreStore", dependencies: ["CadastreModel", "CadastreGeometry", "CSQLite"]),
    .target(
      name: "CadastrePlanner",
      dependencies: ["CadastrePredicate", "CadastreModel", "CadastreGeometry"]),
    .target(
      name: "CadastreExecutor",
      dependencies: [
        "CadastrePlanner", "CadastrePredicate", "CadastreStore", "CadastreModel",
        "CadastreGeometry",
      ]),
    .target(
      name: "CadastreTestSupport",
      dependencies: [
        "CadastreExecutor", "CadastrePlanner", "CadastrePredicate", "CadastreStore",
        "CadastreModel", "CadastreGeometry",
      ], path: "Tests/CadastreTestSupport"),
    .testTarget(name: "CadastreGeometryTests", dependencies: ["CadastreGeometry"]),
    .testTarget(name: "CadastreModelTests", dependencies: ["CadastreModel"]),
    .testTarget(
      name: "CadastrePredicateTests", dependencies: ["CadastrePredicate", "CadastreTestSupport"]),
    .testTarget(name: "CadastreStoreTests", dependencies: ["CadastreStore", "CadastreTestSupport"]),
    .testTarget(
      name: "CadastreQueryTests",
      dependencies: ["CadastreExecutor", "CadastrePlanner", "CadastreTestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]
}
