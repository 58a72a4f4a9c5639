internal import CCrosstie
import Synchronization

@testable import Crosstie
@testable import CrosstieWormhole

/// A host's transport: records in a dictionary, shared by all openings that it is given to, and as wrong as a test
/// wants.
final class FakeHost: @unchecked Sendable {
    typealias Key = [UInt8]

    /// Guards all that follows.
    private let lock = Lock()
    private var records: [Key: [UInt8]] = [:]
    private var number: UInt64 = 0
    private var living: Set<UInt64> = []
    private var lastMember: UInt64 = 0
    private var watchers: [UnsafeMutableRawPointer?] = []
    private(set) var destroyCount = 0
    private(set) var commitCount = 0

    /// The result of a function in place of its work; queried for each call.
    var fault: (_ function: String) -> Int32? = { _ in nil }
    /// The records that a scan shows in place of the stored ones.
    var shown: ((_ found: [(Key, [UInt8])]) -> [(Key, [UInt8])])?
    /// Done at the beginning of each call of a function.
    var whenCalled: (_ function: String) -> Void = { _ in }

    var version: UInt64 { lock.with { number } }

    var keys: [Key] { lock.with { records.keys.sorted { FakeHost.isBefore($0, $1) } } }

    /// As another process would change a record.
    func change(_ key: Key, to bytes: [UInt8]?) {
        lock.with {
            records[key] = bytes
            number += 1
        }
        notify()
    }

    func record(_ key: Key) -> [UInt8]? { lock.with { records[key] } }

    /// Removes a member, as if its process had died.
    func kill(_ member: UInt64) { lock.with { _ = living.remove(member) } }

    // MARK: As a transport

    /// - Parameters:
    ///   - hasMembers: whether it knows its members.
    ///   - watches: whether it tells of commits.
    func transport(hasMembers: Bool = true, watches: Bool = true) -> HostTransport {
        var functions = ctie_transport()
        functions.size = MemoryLayout<ctie_transport>.size
        functions.version = { context, out, _ in FakeHost.of(context).answerVersion(out) }
        functions.scan = { context, from, backward, visit, given, _ in
            FakeHost.of(context).scan(from, backward) { visit($0, $1, given) }
        }
        functions.commit = { context, version, _, changes, count, _, _ in
            FakeHost.of(context).commit(version, UnsafeBufferPointer(start: changes, count: count))
        }
        if watches {
            functions.watch = { context, notify, given in FakeHost.of(context).watch(notify == nil ? nil : given) }
        }
        if hasMembers {
            functions.join = { context, _, id, _ in FakeHost.of(context).join(id) }
            functions.members = { context, visit, given, _ in FakeHost.of(context).members { visit($0, given) } }
        }
        functions.destroy = { context in FakeHost.of(context).destroy() }
        return HostTransport(functions, context: Unmanaged.passUnretained(self).toOpaque())
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> FakeHost {
        Unmanaged<FakeHost>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }

    private func call(_ function: String, _ body: () -> Int32) -> Int32 {
        whenCalled(function)
        return fault(function) ?? body()
    }

    private func answerVersion(_ out: UnsafeMutablePointer<UInt64>) -> Int32 {
        call("version") {
            out.pointee = version
            return 0
        }
    }

    private func scan(_ from: ctie_bytes, _ backward: Bool, _ visit: (ctie_bytes, ctie_bytes) -> Bool) -> Int32 {
        call("scan") {
            let bound = FakeHost.bytes(from)
            var found = lock.with { records.map { ($0.key, $0.value) } }
            found = found.filter { backward ? !FakeHost.isBefore(bound, $0.0) : !FakeHost.isBefore($0.0, bound) }
            found.sort { FakeHost.isBefore($0.0, $1.0) != backward }
            for (key, record) in shown?(found) ?? found {
                let goesOn = key.withUnsafeBytes { key in
                    record.withUnsafeBytes { visit(FakeHost.lend(key), FakeHost.lend($0)) }
                }
                if !goesOn { break }
            }
            return 0
        }
    }

    private func commit(_ version: UInt64, _ changes: UnsafeBufferPointer<ctie_transport_change>) -> Int32 {
        let answer = call("commit") {
            lock.with {
                guard number == version else { return Status.conflict.rawValue }
                for change in changes {
                    let key = FakeHost.bytes(change.key)
                    if key.isEmpty {
                        records = [:]
                    } else {
                        records[key] = change.record.data == nil ? nil : FakeHost.bytes(change.record)
                    }
                }
                number += 1
                commitCount += 1
                return 0
            }
        }
        notify()
        return answer
    }

    private func watch(_ context: UnsafeMutableRawPointer?) -> Int32 {
        call("watch") {
            // Tests give one host to one wormhole when they look at this.
            lock.with { watchers = context == nil ? [] : watchers + [context] }
            return 0
        }
    }

    private func notify() { for watcher in lock.with({ watchers }) { HostWakeup.notify(watcher) } }

    private func join(_ id: UnsafeMutablePointer<UInt64>) -> Int32 {
        call("join") {
            lock.with {
                lastMember += 1
                living.insert(lastMember)
                id.pointee = lastMember
                return 0
            }
        }
    }

    private func members(_ visit: (UInt64) -> Void) -> Int32 {
        call("members") {
            for id in lock.with({ living }) { visit(id) }
            return 0
        }
    }

    private func destroy() { lock.with { destroyCount += 1 } }

    private static func isBefore(_ left: Key, _ right: Key) -> Bool { left.lexicographicallyPrecedes(right) }

    private static func bytes(_ given: ctie_bytes) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: given.data, count: given.size))
    }

    private static func lend(_ bytes: UnsafeRawBufferPointer) -> ctie_bytes {
        ctie_bytes(data: bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8), size: bytes.count)
    }
}
