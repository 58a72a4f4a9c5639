// swift-tools-version: 6.1
// A shop in three languages: a core in C, a plug-in in Python, a component in Swift. They meet on one bus and know one
// another by name alone.
import PackageDescription

// The dynamic product has the module and the C functions in one shared object, so that all three use the same copy.
let crosstie: Target.Dependency = .product(name: "CrosstieShared", package: "crosstie")

let package = Package(
    name: "app",
    dependencies: [.package(name: "crosstie", path: "../..")],
    targets: [
        .target(name: "Core", dependencies: [crosstie]),
        .systemLibrary(name: "CPython", pkgConfig: "python3-embed", providers: [.apt(["libpython3-dev"])]),
        .target(name: "Interpreter", dependencies: ["CPython"]),
        .executableTarget(name: "App", dependencies: ["Core", "Interpreter", crosstie]),
    ]
)
