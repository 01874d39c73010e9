// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of Cadastre do not download an HTTP server.
let package = Package(
  name: "http-server",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "cadastre", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
  ],
  targets: [
    .executableTarget(
      name: "HTTPServer",
      dependencies: [
        .product(name: "Cadastre", package: "cadastre"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
