// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "concurrency",
    dependencies: [.package(name: "crosstie", path: "../../..")],
    targets: [
        .executableTarget(
            name: "concurrency", dependencies: [.product(name: "CrosstieConcurrency", package: "crosstie")], path: ".",
            sources: ["main.swift"])
    ]
)
