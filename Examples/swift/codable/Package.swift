// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "codable",
    dependencies: [.package(name: "crosstie", path: "../../..")],
    targets: [
        .executableTarget(
            name: "codable", dependencies: [.product(name: "Crosstie", package: "crosstie")], path: ".",
            sources: ["main.swift"])
    ]
)
