// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of the library do not resolve the dependencies of the benchmarks.
let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "cadastre", path: ".."),
    // A peer of the comparison.
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "PeerSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(name: "BenchmarkPlaces"),
    .target(name: "BenchmarkSupport", dependencies: ["PeerSQLite"]),
    .target(name: "EngineSupport", dependencies: ["BenchmarkPlaces"]),
    .executableTarget(
      name: "CadastreBenchmarkEngine",
      dependencies: [
        "BenchmarkPlaces", "EngineSupport", .product(name: "Cadastre", package: "cadastre"),
      ]),
    .executableTarget(
      name: "GRDBEngine",
      dependencies: [
        "BenchmarkPlaces", "EngineSupport", .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .executableTarget(
      name: "ObjectBenchmark",
      dependencies: ["BenchmarkSupport", .product(name: "Cadastre", package: "cadastre")]),
    .executableTarget(
      name: "NotificationBenchmark",
      dependencies: ["BenchmarkSupport", .product(name: "Cadastre", package: "cadastre")]),
    .executableTarget(
      name: "WriteBenchmark",
      dependencies: ["BenchmarkSupport", .product(name: "Cadastre", package: "cadastre")]),
    .executableTarget(
      name: "MigrationBenchmark",
      dependencies: ["BenchmarkSupport", .product(name: "Cadastre", package: "cadastre")]),
    .executableTarget(
      name: "PlaceBenchmark",
      dependencies: [
        "BenchmarkPlaces", "BenchmarkSupport", .product(name: "Cadastre", package: "cadastre"),
      ], exclude: ["duck.py"]),
    .executableTarget(
      name: "QueryBenchmark",
      dependencies: ["BenchmarkSupport", .product(name: "Cadastre", package: "cadastre")]),
  ]
)
