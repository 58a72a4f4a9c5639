// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "first",
    dependencies: [.package(name: "crosstie", path: "../../..")],
    targets: [
        .executableTarget(
            name: "first", dependencies: [.product(name: "Crosstie", package: "crosstie")], path: ".",
            sources: ["main.swift"])
    ]
)
