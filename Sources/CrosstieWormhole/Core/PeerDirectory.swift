internal import Glibc

/// The directory where joined buses of a group find one another.
package struct PeerDirectory {
    /// An open directory that only this user can change; the caller closes it.
    package let descriptor: Int32
    /// This member's slot, and its number.
    package let slot: Int
    package let member: UInt64
    /// The name of the wormhole.
    package let name: String
}
