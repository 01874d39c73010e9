// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as that of a user, with the trait that adds the HTTP server.
let package = Package(
  name: "embedded-server",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "cadastre", path: "../..", traits: ["Server"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
  ],
  targets: [
    .executableTarget(
      name: "EmbeddedServer",
      dependencies: [
        .product(name: "CadastreServer", package: "cadastre"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
