// swift-tools-version: 6.1
// Crosstie: an application bus that programs embed.
//
// Link flags of the shipped library stay in the Makefile: as `unsafeFlags` they would stop
// versioned packages from depending on this one.

import PackageDescription

// The command-line tool and the argument parser that it alone needs: `make tool` asks for them. Building the
// library, or depending on it, fetches nothing.
let hasTool = Context.environment["CROSSTIE_TOOL"] != nil

// The library's types need no reflection where the Makefile builds what ships; the tool's do, for the argument parser. As
// a flag of the targets it lets both be built from one compilation. Packages that depend on this one never set it.
let shipFlags: [SwiftSetting] =
    Context.environment["CROSSTIE_SHIP"] == nil ? [] : [.unsafeFlags(["-Xfrontend", "-disable-reflection-metadata"])]

// The folders of the core, each with a README.md that is no source.
let coreFolders = [
    "System", "Values", "URL", "Routing", "Rules", "Request", "Bus", "SystemOpener", "Components", "Performer",
    "Providers", "Kinds",
]
// The same of the wormhole.
let wormholeFolders = [
    "Base", "Host", "Options", "Server", "Files", "Wakeups", "Store", "Store/Pages", "Store/Host", "Records", "Log",
    "Messages", "Group", "Feeds", "Queue", "Sending", "Engine", "Core", "Care",
]

let package = Package(
    name: "crosstie",
    products: [
        // For programs written in Swift alone. CrosstieWormhole and CrosstieInstance export the module Crosstie,
        // CrosstieJoin the first two, and CrosstieCodable, which converts values from and to Codable types, the first two.
        .library(
            name: "Crosstie",
            targets: ["Crosstie", "CrosstieWormhole", "CrosstieJoin", "CrosstieInstance", "CrosstieCodable"]),
        // The same for Swift's concurrency: async requests and handlers, and messages as sequences.
        .library(name: "CrosstieConcurrency", targets: ["CrosstieConcurrency"]),
        // Module and C exports in one shared object, which ships as libcrosstie.so. A Swift program that also hosts C
        // or Python parts depends on it.
        .library(
            name: "CrosstieShared", type: .dynamic,
            targets: ["Crosstie", "CrosstieWormhole", "CrosstieJoin", "CrosstieInstance", "CrosstieABI"]),
    ],
    targets: [
        // The public header as a normal C target, so that edits to it are tracked.
        .target(name: "CCrosstie", path: ".", sources: ["Sources/CCrosstie"], publicHeadersPath: "include"),
        // Instructions and system calls that Swift cannot spell: SIMD masks, thread-local slot, futex, membarrier.
        .target(name: "CPlatform"),
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
        .target(
            name: "Crosstie", dependencies: ["CCrosstie", "CPlatform", "CJansson"],
            exclude: coreFolders.map { "\($0)/README.md" }, swiftSettings: shipFlags),
        // Messages between processes.
        .target(
            name: "CrosstieWormhole", dependencies: ["Crosstie", "CCrosstie", "CPlatform", "CLMDB"],
            exclude: ["README.md"] + wormholeFolders.map { "\($0)/README.md" }, swiftSettings: shipFlags),
        // Calls between processes.
        .target(
            name: "CrosstieJoin", dependencies: ["Crosstie", "CrosstieWormhole", "CPlatform"], exclude: ["README.md"],
            swiftSettings: shipFlags),
        // The first process of an application, and URLs that others hand to it.
        .target(
            name: "CrosstieInstance", dependencies: ["Crosstie", "CrosstieWormhole", "CPlatform"],
            exclude: ["README.md"], swiftSettings: shipFlags),
        .target(
            name: "CrosstieABI",
            dependencies: ["Crosstie", "CrosstieWormhole", "CrosstieJoin", "CrosstieInstance", "CCrosstie"],
            exclude: ["README.md"], swiftSettings: shipFlags),
        // Apart from the core, so that the shipped library has nothing of them.
        .target(name: "CrosstieCodable", dependencies: ["Crosstie", "CrosstieWormhole"], exclude: ["README.md"]),
        .target(
            name: "CrosstieConcurrency", dependencies: ["Crosstie", "CrosstieWormhole", "CrosstieCodable"],
            exclude: ["README.md"]),
        // The parser and the matcher alone, for `make bench`.
        .executableTarget(name: "CrosstieBench", dependencies: ["Crosstie"], path: "Benchmarks/match"),
        .testTarget(
            name: "CrosstieTests", dependencies: ["Crosstie", "CrosstieWormhole", "CrosstieJoin", "CrosstieInstance"]),
        .testTarget(name: "CrosstieCodableTests", dependencies: ["CrosstieCodable"]),
        .testTarget(name: "CrosstieConcurrencyTests", dependencies: ["CrosstieConcurrency"]),
    ]
)

if hasTool {
    package.dependencies.append(.package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"))
    package.products.append(.executable(name: "crosstie", targets: ["CrosstieTool"]))
    package.targets.append(
        .executableTarget(
            name: "CrosstieTool",
            dependencies: [
                "Crosstie", "CrosstieWormhole", "CrosstieJoin", "CrosstieInstance",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: [
                "README.md", "Scheme/README.md", "Processes/README.md", "Joining/README.md", "Instance/README.md",
            ]))
}
