// swift-tools-version: 6.1
import PackageDescription

let ports = ["cbus", "mgjrouter", "nbus", "router", "wormhole"]

let package = Package(
    name: "ports",
    dependencies: [.package(name: "crosstie", path: "../..")],
    targets: ports.map { port in
        .executableTarget(
            name: port,
            dependencies: [
                .product(name: "Crosstie", package: "crosstie"),
                .product(name: "CrosstieConcurrency", package: "crosstie"),
            ], path: ".", sources: ["\(port).swift"])
    }
)
