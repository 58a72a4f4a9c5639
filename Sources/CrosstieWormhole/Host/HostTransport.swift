package import CCrosstie
import Synchronization

/// A host's own transport: the functions that its header describes, and nowhere else called. Their results are not
/// trusted.
package final class HostTransport: @unchecked Sendable {
    private let functions: ctie_transport
    private let context: UnsafeMutableRawPointer?
    private let isDestroyed = Atomic(false)

    package init(_ functions: ctie_transport, context: UnsafeMutableRawPointer?) {
        self.functions = functions
        self.context = context
    }

    /// Throws `invalid` when a function is missing.
    func check() throws(CrosstieError) {
        guard functions.version != nil, functions.scan != nil, functions.commit != nil else {
            throw CrosstieError(.invalidArgument, "a transport needs version, scan and commit", at: "options.transport")
        }
        guard (functions.join == nil) == (functions.members == nil) else {
            throw CrosstieError(
                .invalidArgument, "a transport has both join and members, or none", at: "options.transport")
        }
    }

    var canWatch: Bool { functions.watch != nil }

    var knowsMembers: Bool { functions.members != nil }

    func version() throws(CrosstieError) -> UInt64 {
        var version: UInt64 = 0
        try call("version") { functions.version?(context, &version) }
        return version
    }

    /// Fills a batch with the records from a key on.
    func scan(from key: UnsafeRawBufferPointer, into batch: inout HostBatch) throws(CrosstieError) {
        let isBackward = batch.isBackward
        try withUnsafeMutablePointer(to: &batch) { batch in
            Result { () throws(CrosstieError) in
                try call("scan") {
                    functions.scan?(context, ctie_bytes(key), isBackward, HostTransport.visit, batch)
                }
            }
        }.get()
        if let fault = batch.fault { throw fault }
    }

    private static let visit: ctie_transport_visit_fn = { key, record, context in
        guard let batch = context?.assumingMemoryBound(to: HostBatch.self) else { return false }
        return batch.pointee.add(HostTransport.bytes(key), HostTransport.bytes(record))
    }

    /// - Throws: `conflict` when the newest commit is not `incompatibleVersion`.
    func commit(_ changes: [HostChange], after version: UInt64) throws(CrosstieError) {
        let raw = changes.map { ctie_transport_change(key: ctie_bytes($0.key), record: ctie_bytes($0.record)) }
        let outcome = raw.withUnsafeBufferPointer { raw in
            Result { () throws(CrosstieError) in
                try call("commit") {
                    // There is an address also when there are no changes.
                    raw.baseAddress.flatMap { functions.commit?(context, version, $0, raw.count) }
                }
            }
        }
        try outcome.get()
    }

    /// Has `notify` called with `wakeup` after each commit, until it is nil.
    func watch(
        _ wakeup: UnsafeMutableRawPointer?, _ notify: ctie_transport_notify_fn? = nil
    ) throws(CrosstieError) {
        try call("watch") { functions.watch?(context, notify, wakeup) }
    }

    func join(_ name: [UInt8]) throws(CrosstieError) -> UInt64 {
        var id: UInt64 = 0
        let outcome = name.withUnsafeBytes { name in
            Result { () throws(CrosstieError) in
                let name = ctie_str(data: name.baseAddress?.assumingMemoryBound(to: CChar.self), size: name.count)
                try call("join") { functions.join?(context, name, &id) }
            }
        }
        try outcome.get()
        guard id != 0 else { throw CrosstieError(.corruptData, "the transport gave a member no number") }
        return id
    }

    /// The numbers of those that live.
    func members() throws(CrosstieError) -> Set<UInt64> {
        var found: Set<UInt64> = []
        try withUnsafeMutablePointer(to: &found) { found in
            Result { () throws(CrosstieError) in
                try call("members") {
                    functions.members?(
                        context,
                        { member, context in
                            guard let found = context?.assumingMemoryBound(to: Set<UInt64>.self) else { return }
                            if found.pointee.count < HostTransport.maximumMembers {
                                found.pointee.insert(member)
                            }
                        }, found)
                }
            }
        }.get()
        return found
    }

    private static var maximumMembers: Int { 65_536 }

    /// Releases the host's context; once, however often it is called.
    package func destroy() {
        guard !isDestroyed.exchange(true, ordering: .acquiringAndReleasing), let destroy = functions.destroy else {
            return
        }
        ThreadSlot.current.enterTransport()
        destroy(context)
        ThreadSlot.current.leaveTransport()
    }

    /// Calls a function, which is there, and takes its answer. Its arguments are the caller's responsibility.
    @inline(__always)
    private func call(_ name: StaticString, _ body: () -> ctie_status?) throws(CrosstieError) {
        ThreadSlot.current.enterTransport()
        let answer = body()
        ThreadSlot.current.leaveTransport()
        if let answer, answer != 0 { throw HostTransport.failure(name, answer) }
    }

    @inline(never)
    private static func failure(_ name: StaticString, _ answer: ctie_status) -> CrosstieError {
        let isKnown = answer < 0 && answer >= Int32(CTIE_STATUS_LAST_)
        let status = isKnown ? Status(rawValue: answer) : .systemFailure
        return CrosstieError(status, "the transport's \(name) answered \(answer)")
    }

    private static func bytes(_ given: ctie_bytes) -> UnsafeRawBufferPointer? {
        guard given.size <= HostBatch.maximumRecordSize, given.data != nil || given.size == 0 else { return nil }
        return UnsafeRawBufferPointer(start: given.data, count: given.size)
    }
}

extension ctie_bytes {
    fileprivate init(_ bytes: UnsafeRawBufferPointer) { self.init(data: bytes.baseAddress, size: bytes.count) }
}
