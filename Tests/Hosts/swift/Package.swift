// swift-tools-version: 6.1
// A Swift program that hosts a C part and, in an embedded interpreter, a Python part. All three meet on one bus,
// because the program depends on the dynamic product: module and C exports are one shared object.
import PackageDescription

let crosstie: Target.Dependency = .product(name: "CrosstieShared", package: "crosstie")

let package = Package(
    name: "host",
    dependencies: [.package(name: "crosstie", path: "../../..")],
    targets: [
        .systemLibrary(name: "CPython", pkgConfig: "python3-embed", providers: [.apt(["libpython3-dev"])]),
        .target(name: "CInterpreter", dependencies: ["CPython"]),
        .target(name: "CPart", dependencies: [crosstie]),
        .executableTarget(name: "Host", dependencies: ["CPart", "CInterpreter", crosstie]),
    ]
)
