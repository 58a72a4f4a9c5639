import Synchronization

/// The places of a bus that one callback each may have, apart from all patterns.
package enum Post: String, CaseIterable {
    /// Where the bus logs.
    case log
    /// Who gets what nobody else takes.
    case unmatched
    /// Who shows the targets of rules that have no handler of their own.
    case navigator
    /// Who opens URLs instead of the system's program.
    case opener
    /// Who gets what the performer's resolvers do not find.
    case performerFallback
}

/// Who has the posts of a bus: the index of each one's registration, 0 for nobody. Changed with the bus's lock.
package struct Posts: ~Copyable {
    private let log = Atomic<UInt32>(0)
    private let unmatched = Atomic<UInt32>(0)
    private let navigator = Atomic<UInt32>(0)
    private let opener = Atomic<UInt32>(0)
    private let performerFallback = Atomic<UInt32>(0)

    package func holder(of post: Post) -> UInt32 {
        switch post {
        case .log: log.load(ordering: .acquiring)
        case .unmatched: unmatched.load(ordering: .acquiring)
        case .navigator: navigator.load(ordering: .acquiring)
        case .opener: opener.load(ordering: .acquiring)
        case .performerFallback: performerFallback.load(ordering: .acquiring)
        }
    }

    /// Gives a post to another one; returns who had it.
    func give(_ post: Post, to index: UInt32) -> UInt32 {
        switch post {
        case .log: log.exchange(index, ordering: .acquiringAndReleasing)
        case .unmatched: unmatched.exchange(index, ordering: .acquiringAndReleasing)
        case .navigator: navigator.exchange(index, ordering: .acquiringAndReleasing)
        case .opener: opener.exchange(index, ordering: .acquiringAndReleasing)
        case .performerFallback: performerFallback.exchange(index, ordering: .acquiringAndReleasing)
        }
    }
}

extension BusRecord {
    /// Gives a post to a callback; nil leaves it empty. The content is destroyed if this fails.
    package static func set(_ post: Post, of handle: Handle, to content: RegistrationContent?) throws(CrosstieError)
        -> Status
    {
        do throws(CrosstieError) {
            // Looked up under the lock, or it could be put on a bus that has closed, where nobody would ever end it.
            let before = try withState(handle) { bus, _ throws(CrosstieError) in
                replace(post, of: bus, with: try registration(content, post, on: bus))
            }
            return before?.end() ?? .ok
        } catch {
            content?.destroy()
            throw error
        }
    }

    private static func registration(
        _ content: RegistrationContent?, _ post: Post, on bus: Pointer
    ) throws(CrosstieError) -> UInt32 {
        guard var content else { return 0 }
        content.name = post.rawValue
        guard let registration = Registration.make(content, on: bus) else {
            throw CrosstieError(.outOfMemory, "no room for another registration")
        }
        return registration.pointee.header.index
    }

    /// Gives a post to a registration, with the lock held. Gives the one before it, which is to be ended.
    static func replace(_ post: Post, of bus: Pointer, with index: UInt32) -> Registration.Pointer? {
        let before = bus.pointee.posts.give(post, to: index)
        guard before != 0, let registration = Registration.at(before) else { return nil }
        registration.leaveBus()
        return registration
    }

    /// Sets what the opener of a bus is and may do. The content is destroyed if this fails.
    package static func setSystemOpener(
        _ handle: Handle, _ policy: OpenerPolicy, _ content: RegistrationContent?
    ) throws(CrosstieError) -> Status {
        do throws(CrosstieError) {
            let (gate, before) = try withState(handle) { bus, state throws(CrosstieError) in
                let index = try registration(content, .opener, on: bus)
                let gate = OpenerGate.make(policy, handler: index)
                state.openerPolicy = policy
                return (
                    bus.pointee.openerGate.exchange(gate, ordering: .acquiringAndReleasing),
                    replace(.opener, of: bus, with: index)
                )
            }
            ReadSide.waitForReaders()
            OpenerGate.free(gate)
            return before?.end() ?? .ok
        } catch {
            content?.destroy()
            throw error
        }
    }
}
