// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that who uses the library never resolves what measures it.
let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "cadastre", path: "..")],
  targets: [
    .systemLibrary(
      name: "PeerSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(name: "BenchmarkPlaces"),
    .target(name: "BenchmarkSupport", dependencies: ["PeerSQLite"]),
    .executableTarget(
      name: "ObjectBenchmark",
      dependencies: ["BenchmarkSupport", .product(name: "Cadastre", package: "cadastre")]),
    .executableTarget(
      name: "NotificationBenchmark",
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
      name: "QuestionBenchmark",
      dependencies: ["BenchmarkSupport", .product(name: "Cadastre", package: "cadastre")]),
  ]
)
