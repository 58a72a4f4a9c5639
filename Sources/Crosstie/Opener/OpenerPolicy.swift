import Synchronization

/// What may go to a bus's opener. It stands in host code, never in a rule table.
package struct OpenerPolicy: Sendable {
    package var isOff = false
    package var servesRemote = false
    /// Besides http and https; in lower case.
    package var schemes: [String] = []
    /// What is started: a path, or a name to be found on the PATH.
    package var program = "xdg-open"

    package init() {}

    /// How many schemes may be allowed.
    package static var maximumSchemes: Int { 64 }
    package static var maximumProgram: Int { 4096 }

    /// Schemes that no opener gets, whatever the host says: their URLs run code or read files.
    private static let dangerous: Set = ["file", "javascript", "vbscript", "data", "blob", "about", "view-source"]

    /// Puts the schemes into lower case and checks everything.
    package mutating func check() throws(CrosstieError) {
        guard schemes.count <= Self.maximumSchemes else {
            throw CrosstieError(
                .limitExceeded, "an opener has at most \(Self.maximumSchemes) schemes", at: "options.schemes")
        }
        for index in schemes.indices {
            schemes[index] = try Self.checked(schemes[index], at: "options.schemes[\(index)]")
        }
        guard program.utf8.count <= Self.maximumProgram else {
            throw CrosstieError(
                .limitExceeded, "the program's path is over \(Self.maximumProgram) bytes", at: "options.program")
        }
        guard !program.utf8.contains(0) else {
            throw CrosstieError(.invalidArgument, "the program holds a NUL", at: "options.program")
        }
        if program.isEmpty { program = "xdg-open" }
    }

    private static func checked(_ scheme: String, at place: String) throws(CrosstieError) -> String {
        let refusal = "the scheme \(Quotation.quoted(scheme)) cannot be allowed"
        if let problem = SchemeName.problem(in: scheme) {
            let status = SchemeName.status(of: problem, else: .invalidURL)
            throw CrosstieError(status, "\(refusal): \(problem.message)", at: place)
        }
        let lower = SchemeName.lowerCase(scheme)
        guard !dangerous.contains(lower) else {
            throw CrosstieError(.invalidURL, "\(refusal): no opener may have it", at: place)
        }
        return lower
    }
}

/// Who opens, and the part of the policy that is looked at in a read section: plain memory. They change together, or
/// what is for a handler alone could reach the system's program.
package struct OpenerGate {
    private let isOff: Bool
    private let servesRemote: Bool
    private let schemes: SchemeList
    private let handler: UInt32

    private init(_ policy: OpenerPolicy, handler: UInt32) {
        self.handler = handler
        (isOff, servesRemote) = (policy.isOff, policy.servesRemote)
        schemes = SchemeList(policy.schemes)
    }

    /// The address of a gate, for ``BusRecord/openerGate``; a handler's index of 0 stands for the program.
    static func make(_ policy: OpenerPolicy, handler: UInt32) -> UInt {
        let gate = UnsafeMutablePointer<OpenerGate>.allocate(capacity: 1)
        gate.initialize(to: OpenerGate(policy, handler: handler))
        return UInt(bitPattern: gate)
    }

    static func free(_ address: UInt) {
        guard let gate = UnsafeMutablePointer<OpenerGate>(bitPattern: address) else { return }
        gate.pointee.schemes.free()
        gate.deallocate()
    }

    /// The index of the handler's registration, by a gate's address; 0 for none.
    static func handler(_ address: UInt) -> UInt32 {
        UnsafePointer<OpenerGate>(bitPattern: address)?.pointee.handler ?? 0
    }

    /// Whether a request's URL may go to the opener, by a gate's address; 0 stands for the default policy.
    static func allows(_ block: RequestBlock.Pointer, _ address: UInt) -> Bool {
        let parts = block.pointee.parts
        guard let gate = UnsafePointer<OpenerGate>(bitPattern: address) else {
            return block.pointee.isLocal && parts.flags.contains(.web)
        }
        guard !gate.pointee.isOff, block.pointee.isLocal || gate.pointee.servesRemote else { return false }
        return parts.flags.contains(.web) || gate.pointee.schemes.contains(parts.text(parts.scheme))
    }
}
