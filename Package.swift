// swift-tools-version: 6.2
import PackageDescription

// Whether another package depends on this one: SwiftPM reads the manifest from the repository, as if it were in the root
// directory, and then from a checkout: directly in a folder `checkouts`, or below `registry/downloads`. The graph then has
// neither the programs, nor the package that only they need, nor tests and examples.
let isDependency =
  Context.packageDirectory == "/"
  || Context.packageDirectory.split(separator: "/").dropLast().last == "checkouts"
  || Context.packageDirectory.contains("/registry/downloads/")
let programs: [Product] = [
  .executable(name: "cadastre", targets: ["CadastreCLI"]),
  .executable(name: "cadastre-serve", targets: ["CadastreServe"]),
]
let packagesOfPrograms: [Package.Dependency] = [
  .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
]

// A target may import only targets that are listed above it; the order follows the path of a query.
// CI builds with `--explicit-target-dependency-import-check error`.
let package = Package(
  name: "cadastre",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Cadastre", targets: ["Cadastre"]),
    .library(name: "RealmSwift", targets: ["RealmSwift"]),
    .library(name: "CadastrePostgres", targets: ["CadastrePostgres"]),
    .library(name: "CadastreFiles", targets: ["CadastreFiles"]),
    .library(name: "CadastreServer", targets: ["CadastreServer"]),
  ] + (isDependency ? [] : programs),
  traits: [
    .trait(
      name: "Server",
      description: "The HTTP server of CadastreServer and cadastre-serve, with Hummingbird.")
  ],
  // `Package.resolved` has the versions that the tests ran with; raise one in a commit of its own. A package that
  // depends on Cadastre may use any version of these ranges.
  dependencies: (isDependency ? [] : packagesOfPrograms) + [
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    // Resolved only with the trait Server.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CGEOS", pkgConfig: "geos",
      providers: [.apt(["libgeos-dev"]), .brew(["geos"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .target(name: "CFileSystem"),
    .target(name: "CSwiftRuntime"),
    .target(name: "CPostgreSQL"),
    .target(name: "CPROJ"),
    .target(name: "CGDAL"),
    .target(name: "CadastreFormatting"),
    .target(name: "CadastreGeometry", dependencies: ["CGEOS"]),
    .target(name: "CadastreModel", dependencies: ["CadastreFormatting", "CadastreGeometry"]),
    .target(name: "CadastreSQLite", dependencies: ["CFileSystem", "CSQLite", "CadastreModel"]),
    .target(
      name: "CadastreColumnar",
      dependencies: [
        "CadastreSQLite", "CadastreFormatting", "CadastreModel", "CadastreGeometry", "CZlib",
        "CZstd",
      ]),
    .target(
      name: "CadastreRealmFile",
      dependencies: ["CadastreSQLite", "CadastreModel", "CadastreFormatting"]),
    .target(name: "CadastrePredicate", dependencies: ["CadastreModel", "CadastreGeometry"]),
    .target(
      name: "CadastreStore",
      dependencies: [
        "CadastreSQLite", "CadastreModel", "CadastreGeometry",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ]),
    .target(
      name: "CadastreRealmImport",
      dependencies: [
        "CadastreRealmFile", "CadastreStore", "CadastreModel", "CadastreFormatting",
      ]),
    .target(
      name: "CadastreQuery",
      dependencies: ["CadastrePredicate", "CadastreStore", "CadastreModel", "CadastreGeometry"]),
    .target(
      name: "Cadastre",
      dependencies: [
        "CSwiftRuntime", "CadastreQuery", "CadastrePredicate", "CadastreRealmImport",
        "CadastreRealmFile", "CadastreStore", "CadastreModel", "CadastreGeometry",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    .target(name: "RealmSwift", dependencies: ["Cadastre"]),
    .target(
      name: "CadastrePostgres",
      dependencies: [
        "CPostgreSQL", "Cadastre", "CadastrePredicate", "CadastreStore", "CadastreModel",
        "CadastreGeometry", "CadastreFormatting",
      ]),
    .target(
      name: "CadastreBundledData", path: "Datasets",
      exclude: [
        "airports/LICENSE", "airports/datapackage.json", "airports/fetch.py",
        "cities", "feed", "messy", "naturalearth/datapackage.json", "naturalearth/fetch.py",
        "package_files.py", "rivers",
      ],
      sources: ["BundledData.swift"],
      resources: [.copy("airports/airports.csv"), .copy("naturalearth/countries.geojson")]),
    .target(
      name: "CadastreDatasets",
      dependencies: [
        "CadastreFormatting", "CadastreQuery", "CadastrePredicate",
        "CadastreStore", "CadastreSQLite", "CadastreColumnar", "CadastreModel",
        "CadastreGeometry", "CZlib", "CPROJ", "CGDAL",
      ]),
    .target(
      name: "CadastreFiles",
      dependencies: [
        "CadastreDatasets", "Cadastre", "CadastrePredicate", "CadastreStore", "CadastreGeometry",
      ]),
    .target(
      name: "CadastreServeOptions",
      dependencies: [
        "CadastreFormatting", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(name: "CadastreMaps", dependencies: ["CadastreFormatting", "CadastreGeometry"]),
    .executableTarget(
      name: "CadastreCLI",
      dependencies: [
        "CadastreDatasets", "CadastreColumnar", "CadastreMaps", "CadastreFormatting",
        "CadastreServeOptions", "CadastreBundledData", "Cadastre", "CadastrePostgres",
        "CadastreQuery", "CadastrePredicate", "CadastreStore", "CadastreRealmImport",
        "CadastreRealmFile", "CadastreSQLite", "CadastreModel", "CadastreGeometry",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(
      name: "CadastreServer",
      dependencies: [
        "CadastreDatasets", "CadastreQuery", "CadastreFormatting", "CadastrePredicate",
        "CadastreStore", "CadastreSQLite",
        "CadastreModel", "CadastreGeometry", "CadastreBundledData",
        .product(
          name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
        .product(
          name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Server"])),
        .product(
          name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Server"])),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Server"])),
      ],
      resources: [.copy("Page")]),
    .executableTarget(
      name: "CadastreServe",
      dependencies: [
        "CadastreServer", "CadastreServeOptions", "CadastreFormatting", "CadastreModel",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "LiveCircle", dependencies: ["Cadastre"], path: "Examples/LiveCircle"),
    .executableTarget(name: "Server", dependencies: ["Cadastre"], path: "Examples/Server"),
    .executableTarget(name: "Migration", dependencies: ["Cadastre"], path: "Examples/Migration"),
    .executableTarget(
      name: "ImportAndMap",
      dependencies: ["CadastreDatasets", "CadastreMaps", "CadastreBundledData", "Cadastre"],
      path: "Examples/ImportAndMap"),
    .target(
      name: "CadastreTestSupport",
      dependencies: [
        "CadastreQuery", "CadastrePredicate", "CadastreStore", "CadastreModel", "CadastreGeometry",
      ], path: "Tests/CadastreTestSupport"),
    .target(name: "TestingSupport", path: "Tests/TestingSupport"),
    .executableTarget(
      name: "TortureRun",
      dependencies: [
        "Cadastre", "CadastreStore", "CadastreSQLite", "CadastreModel", "CadastreTestSupport",
      ],
      path: "Tests/TortureRun", exclude: ["Interposer"]),
    .executableTarget(name: "OpenRun", dependencies: ["Cadastre"], path: "Tests/OpenRun"),
    .executableTarget(name: "StopRun", dependencies: ["Cadastre"], path: "Tests/StopRun"),
    .executableTarget(
      name: "RelationRun", dependencies: ["CadastreGeometry"], path: "Tests/RelationRun",
      exclude: ["compare.py", "measures.py", "operations.py"]),
    // Programs that `Scripts/programs` runs.
    .target(
      name: "ProgramWorks", dependencies: ["Cadastre"], path: "Tests/Programs/Works"),
    .executableTarget(
      name: "ScriptProgram", dependencies: ["ProgramWorks"], path: "Tests/Programs/Script"),
    .executableTarget(
      name: "AsyncScriptProgram", dependencies: ["ProgramWorks"],
      path: "Tests/Programs/AsyncScript"),
    .executableTarget(
      name: "MainProgram", dependencies: ["ProgramWorks"], path: "Tests/Programs/Main"),
    .executableTarget(
      name: "AsyncMainProgram", dependencies: ["ProgramWorks"], path: "Tests/Programs/AsyncMain"),
    .executableTarget(
      name: "ReadmeProgram", dependencies: ["Cadastre"], path: "Tests/Programs/Readme"),
    // Its files are links to those of the tutorial.
    .executableTarget(
      name: "TutorialProgram", dependencies: ["Cadastre"], path: "Tests/Programs/Tutorial"),
    .testTarget(
      name: "CadastreGeometryTests",
      dependencies: ["CadastreGeometry", "CadastreTestSupport", "CGEOS", "CSQLite"],
      exclude: ["Oracle"]),
    .testTarget(
      name: "CadastreModelTests",
      dependencies: ["CadastreModel", "CadastreTestSupport", "TestingSupport"],
      exclude: ["Fixtures"]),
    .target(
      name: "RealmFileTestSupport",
      dependencies: ["CadastreRealmFile", "CadastreModel", "CZlib"],
      path: "Tests/RealmFileTestSupport"),
    .testTarget(
      name: "CadastreRealmFileTests",
      dependencies: [
        "CadastreRealmFile", "CadastreModel", "RealmFileTestSupport", "CadastreTestSupport",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "CadastreRealmImportTests",
      dependencies: [
        "Cadastre", "CadastreStore", "CadastreModel", "CadastreTestSupport",
        "RealmFileTestSupport",
      ],
      exclude: ["Operations/expected.json", "Operations/expected.py"]),
    .testTarget(
      name: "CadastreColumnarTests",
      dependencies: [
        "CadastreColumnar", "CadastreModel", "CadastreGeometry", "CadastreTestSupport",
      ],
      exclude: ["Fixtures", "Oracle"]),
    .testTarget(
      name: "CadastrePredicateTests", dependencies: ["CadastrePredicate", "CadastreTestSupport"],
      exclude: ["Scripts"]),
    .testTarget(
      name: "CadastrePostgresTests",
      dependencies: [
        "CadastrePostgres", "Cadastre", "CadastreQuery", "CadastrePredicate", "CadastreStore",
        "CadastreModel", "CadastreGeometry", "CadastreTestSupport", "TestingSupport",
      ]),
    .testTarget(
      name: "CadastreStoreTests",
      dependencies: [
        "CadastreStore", "CadastreSQLite", "CadastreTestSupport", "TestingSupport",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "CadastreQueryTests",
      dependencies: ["CadastreQuery", "CadastreSQLite", "CadastreTestSupport"],
      exclude: ["Physical/Scripts"]),
    .target(
      name: "DatasetTestSupport", dependencies: ["CadastreDatasets"],
      path: "Tests/DatasetTestSupport"),
    .testTarget(
      name: "CadastreDatasetsTests",
      dependencies: [
        "CadastreDatasets", "CadastreStore", "CadastreSQLite", "CadastrePredicate",
        "CadastreModel", "CadastreGeometry", "DatasetTestSupport", "CadastreTestSupport",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "CadastreFilesTests",
      dependencies: ["CadastreFiles", "Cadastre", "CadastreTestSupport"]),
    .testTarget(
      name: "CadastreFormattingTests",
      dependencies: ["CadastreFormatting", "CadastreTestSupport"]),
    .testTarget(
      name: "CadastreMapsTests", dependencies: ["CadastreMaps", "CadastreTestSupport"]),
    .testTarget(
      name: "CadastreTests",
      dependencies: [
        "Cadastre", "RealmSwift", "CadastreQuery", "CadastrePredicate", "CadastreStore",
        "CadastreSQLite",
        "CadastreModel", "CadastreTestSupport", "TestingSupport", "StopRun",
      ]),
    .testTarget(
      name: "CadastreMigrationTests",
      dependencies: [
        "Cadastre", "CadastreStore", "CadastreSQLite", "CadastreModel",
        "CadastreTestSupport", "TestingSupport",
      ]),
    .testTarget(
      name: "CadastreCLITests",
      dependencies: [
        "CadastreCLI", "Cadastre", "CadastreDatasets", "CSQLite", "CadastrePredicate",
        "CadastreStore", "CadastreSQLite", "CadastreModel",
        "CadastreTestSupport", "RealmFileTestSupport", "TestingSupport",
      ],
      exclude: ["Golden"]),
    .testTarget(
      name: "CadastreServerTests",
      dependencies: [
        "CadastreServer", "CadastreDatasets", "CadastreStore", "CadastrePredicate",
        "CadastreModel", "CadastreGeometry", "CadastreTestSupport",
      ]),
    .testTarget(
      name: "ReferenceSampleTests", dependencies: ["RealmSwift", "TestingSupport"],
      exclude: ["statements.tsv"]),
    .testTarget(name: "GuideTests", dependencies: ["Cadastre", "TestingSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

if isDependency {
  let programs = ["CadastreCLI", "CadastreServe", "CadastreServeOptions"]
  package.targets.removeAll { target in
    programs.contains(target.name) || target.type == .test
      || ["Examples/", "Tests/"].contains { target.path?.hasPrefix($0) == true }
  }
}

// `Scripts/sanitize` and `Scripts/test --area` build only the tests that they run.
if let names = Context.environment["CADASTRE_TESTS"]?.split(separator: " ") {
  package.targets.removeAll { target in
    target.type == .test && !names.contains(target.name[...])
      || target.path?.hasPrefix("Tests/Programs/") == true
  }
}

// Targets that only `Scripts/fuzz` and some benchmarks build. They use declarations with `package`
// access, so they cannot move to a package of their own.
if Context.environment["CADASTRE_DEVELOPMENT"] != nil {
  let internals: [Target.Dependency] = [
    "CadastreTestSupport", "CadastreQuery", "CadastrePredicate", "CadastreStore", "CadastreModel",
    "CadastreGeometry",
  ]
  package.targets += [
    .target(name: "FuzzingDriver", path: "Fuzzing/FuzzingDriver"),
    // The default linker, gold, fails on the sections that the sanitizer adds.
    .executableTarget(
      name: "PredicateFuzzer", dependencies: internals + ["FuzzingDriver"],
      path: "Fuzzing/PredicateFuzzer",
      linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
    .executableTarget(
      name: "DatasetFuzzer",
      dependencies: ["CadastreDatasets", "DatasetTestSupport", "FuzzingDriver"],
      path: "Fuzzing/DatasetFuzzer",
      linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
    .executableTarget(
      name: "RealmFileFuzzer",
      dependencies: ["CadastreRealmFile", "RealmFileTestSupport", "FuzzingDriver"],
      path: "Fuzzing/RealmFileFuzzer",
      linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
    .executableTarget(
      name: "ParquetFuzzer",
      dependencies: ["CadastreColumnar", "CadastreModel", "FuzzingDriver"],
      path: "Fuzzing/ParquetFuzzer",
      linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
    .executableTarget(
      name: "FlatGeobufFuzzer", dependencies: ["CadastreColumnar", "FuzzingDriver"],
      path: "Fuzzing/FlatGeobufFuzzer",
      linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
    .executableTarget(
      name: "GeometryFuzzer", dependencies: ["CadastreGeometry", "FuzzingDriver"],
      path: "Fuzzing/GeometryFuzzer",
      linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
    .executableTarget(
      name: "RealmFuzzer", dependencies: ["Cadastre", "CadastreStore", "FuzzingDriver"],
      path: "Fuzzing/RealmFuzzer",
      linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
    // Here, so that it shares a build of the library with the demo.
    .executableTarget(
      name: "CountBenchmark", dependencies: ["Cadastre"],
      path: "Benchmarks/Sources/CountBenchmark"),
    .executableTarget(
      name: "RealmFileBenchmark", dependencies: ["CadastreRealmFile", "RealmFileTestSupport"],
      path: "Benchmarks/Sources/RealmFileBenchmark"),
    .executableTarget(
      name: "ColumnarBenchmark", dependencies: ["CadastreColumnar"],
      path: "Benchmarks/Sources/ColumnarBenchmark"),
    .executableTarget(
      name: "PredicateBenchmark", dependencies: internals + ["CSQLite"],
      path: "Benchmarks/Sources/PredicateBenchmark"),
    .target(name: "BenchmarkPlaces", path: "Benchmarks/Sources/BenchmarkPlaces"),
    .executableTarget(
      name: "GeographyBenchmark",
      dependencies: internals + ["BenchmarkPlaces", "Cadastre", "CadastreSQLite", "CSQLite"],
      path: "Benchmarks/Sources/GeographyBenchmark", exclude: ["peers.py"]),
    .target(name: "InstructionCounter", path: "Benchmarks/Sources/InstructionCounter"),
    .executableTarget(
      name: "PlanBenchmark", dependencies: internals + ["InstructionCounter"],
      path: "Benchmarks/Sources/PlanBenchmark"),
    .executableTarget(
      name: "CostBenchmark", dependencies: internals + ["BenchmarkPlaces", "Cadastre"],
      path: "Benchmarks/Sources/CostBenchmark"),
  ]
}

for target in package.targets where target.type != .system {
  // Samples are compiled with the default settings, as in a reader's own package.
  let samples = ["ReferenceSampleTests", "GuideTests", "ReadmeProgram", "TutorialProgram"]
  guard !samples.contains(target.name) else {
    target.swiftSettings = [.treatAllWarnings(as: .error)]
    continue
  }
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]
}
