// swift-tools-version: 6.1
// The fuzz targets: one program, which is the target whose name it is called by. `run` builds it with what the
// fuzzer and the address sanitizer need.
import PackageDescription

let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "crosstie", path: "../../..")],
    targets: [
        .executableTarget(name: "Fuzz", dependencies: [.product(name: "Crosstie", package: "crosstie")])
    ]
)
