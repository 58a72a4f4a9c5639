// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "calls",
    dependencies: [.package(name: "crosstie", path: "../../..")],
    targets: [
        .executableTarget(
            name: "calls", dependencies: [.product(name: "Crosstie", package: "crosstie")], path: ".",
            sources: ["main.swift"])
    ]
)
