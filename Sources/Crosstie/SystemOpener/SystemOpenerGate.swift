/// The handler, and the part of the policy that is read in a read section: plain memory. They change together, or what
/// is for a handler alone could reach the system's program.
package struct SystemOpenerGate {
    private let isOff: Bool
    private let servesRemote: Bool
    private let schemes: SchemeList
    private let handler: UInt32

    private init(_ policy: SystemOpenerPolicy, handler: UInt32) {
        self.handler = handler
        (isOff, servesRemote) = (policy.isOff, policy.servesRemote)
        schemes = SchemeList(policy.schemes)
    }

    /// The address of a gate, for ``BusRecord/systemOpenerGate``; a handler's index of 0 stands for the program.
    static func make(_ policy: SystemOpenerPolicy, handler: UInt32) -> UInt {
        let gate = UnsafeMutablePointer<SystemOpenerGate>.allocate(capacity: 1)
        gate.initialize(to: SystemOpenerGate(policy, handler: handler))
        return UInt(bitPattern: gate)
    }

    static func free(_ address: UInt) {
        guard let gate = UnsafeMutablePointer<SystemOpenerGate>(bitPattern: address) else { return }
        gate.pointee.schemes.free()
        gate.deallocate()
    }

    /// The index of the handler's registration, by a gate's address; 0 for none.
    static func handler(_ address: UInt) -> UInt32 {
        UnsafePointer<SystemOpenerGate>(bitPattern: address)?.pointee.handler ?? 0
    }

    /// Whether a request's URL may go to the system opener, by a gate's address; 0 means the default policy.
    static func allows(_ block: RequestBlock.Pointer, _ address: UInt) -> Bool {
        let parts = block.pointee.parts
        guard let gate = UnsafePointer<SystemOpenerGate>(bitPattern: address) else {
            return block.pointee.isLocal && parts.flags.contains(.web)
        }
        guard !gate.pointee.isOff, block.pointee.isLocal || gate.pointee.servesRemote else { return false }
        return parts.flags.contains(.web) || gate.pointee.schemes.contains(parts.text(parts.scheme))
    }
}
