internal import Glibc

/// A plug-in that a bus has loaded.
struct LoadedPlugin {
    let object: UInt
    /// The registrations of its components.
    let components: [Handle]
}
