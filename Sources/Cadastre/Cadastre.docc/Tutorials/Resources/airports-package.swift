// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Airports",
  dependencies: [.package(path: "../cadastre")],
  targets: [
    .executableTarget(
      name: "Airports", dependencies: [.product(name: "Cadastre", package: "cadastre")])
  ])
