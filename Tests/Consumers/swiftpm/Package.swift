// swift-tools-version: 6.1
// An outside package that depends on a version of this one, which flags in the manifest would make impossible.
import PackageDescription

let repository = Context.environment["CROSSTIE_REPOSITORY"] ?? "../../.."

let package = Package(
    name: "consumer",
    dependencies: [.package(url: repository, from: "0.1.0")],
    targets: [
        .executableTarget(name: "consumer", dependencies: [.product(name: "Crosstie", package: "crosstie")])
    ]
)
