import Synchronization

/// A handler, rule, interceptor or other callback on a bus, in a record that is never unmapped: readers that come late
/// find it retired, not freed.
package struct RegistrationRecord: ~Copyable {
    // In the order of use: an open reads the first cache line.
    package let header: RecordHeader
    /// See ``RegistrationRecord/State``.
    package let state: Atomic<UInt32>
    package var isPublic: Bool
    /// Zero for a handler that just runs.
    package var traits: Traits
    package var handler: HandlerFunction
    package var context: CallbackContext
    /// The handler's runtime; nil for none.
    package var runtime: UnsafeRawPointer?
    /// The registered pattern; nil for a registration without one.
    package var pattern: PatternInfo?
    /// A thread with a stale handle may read it while the record is reused for another bus.
    package let busWord: Atomic<UnsafeMutablePointer<BusRecord>>
    /// Nil for most.
    var special: UnsafeMutablePointer<Special>?

    /// The properties to look at before a handler runs.
    package struct Traits: OptionSet {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It has interceptors of its own.
        static var intercepted: Traits { Traits(rawValue: 1) }
        package static var workerOnly: Traits { Traits(rawValue: 2) }
        package static var counted: Traits { Traits(rawValue: 4) }
        /// It is a rule, and has its handler elsewhere.
        static var rule: Traits { Traits(rawValue: 8) }
        /// Its requests are counted and timed.
        static var measured: Traits { Traits(rawValue: 64) }
        /// It is a resolver of the performer, or its fallback.
        static var performing: Traits { Traits(rawValue: 16) }
        /// It is a provider, which says itself what it can do.
        static var provider: Traits { Traits(rawValue: 32) }
        /// It returns at once.
        static var nonblocking: Traits { Traits(rawValue: 128) }
    }

    /// The states of its removal.
    package enum State {
        package static var live: UInt32 { 0 }
        /// No new call starts; a remover waits for the running ones.
        package static var removed: UInt32 { 1 }
        /// No new call starts; the end of the last running one destroys it.
        package static var deferred: UInt32 { 2 }
        /// Its destroy has been claimed.
        package static var destroyed: UInt32 { 3 }
        static var mask: UInt32 { 3 }
        /// Added above these for each life of the record: a thread that has seen an earlier one end must not end a later one.
        static var life: UInt32 { 4 }
    }
}

extension RegistrationRecord {
    package var bus: BusRecord.Pointer { busWord.load(ordering: .relaxed) }

    package typealias Pointer = UnsafeMutablePointer<RegistrationRecord>

    /// The record at an index that a table or a stack gave.
    @inline(__always)
    package static func at(_ index: UInt32) -> Pointer? {
        ProcessState.current.pointee.registrations
            .record(index, stride: MemoryLayout<RegistrationRecord>.stride)?
            .assumingMemoryBound(to: RegistrationRecord.self)
    }

    /// Makes a live registration, with the bus's lock held; nil when a million are live or memory has run out.
    package static func make(_ content: RegistrationContent, on bus: UnsafeMutablePointer<BusRecord>) -> Pointer? {
        let raw = ProcessState.lock.with {
            ProcessState.current.pointee.registrations.take(stride: MemoryLayout<RegistrationRecord>.stride)
        }
        guard let registration = raw?.assumingMemoryBound(to: RegistrationRecord.self) else { return nil }
        let before = registration.pointee.state.load(ordering: .relaxed)
        registration.pointee.state.store(before & ~State.mask &+ State.life, ordering: .relaxed)
        registration.pointee.isPublic = content.isPublic
        registration.pointee.handler = content.handler
        registration.pointee.context = content.context
        registration.pointee.runtime = content.runtime
        registration.pointee.pattern = content.pattern
        let meter = content.meter(on: bus)
        registration.pointee.traits = content.allTraits
        if meter != nil { registration.pointee.traits.insert(.measured) }
        registration.pointee.special = RegistrationRecord.Special.make(content, meter)
        registration.pointee.busWord.store(bus, ordering: .relaxed)
        registration.pointee.header.publish()
        return registration
    }
}

extension UnsafeMutablePointer where Pointee == RegistrationRecord {
    /// Ends a registration that nothing leads to any more and whose handle is retired: its callback
    /// never starts again.
    ///
    /// Waits for running calls, unless inside a callback or where the host does not want this thread to wait. Gives
    /// `.ok` when the callback has been destroyed, `.pending` when the end of the last running call will do that.
    ///
    /// The order is the point: it is unreachable first, then this waits for the threads that had found it; a thread that
    /// runs it now has noted so where it can be seen. Only *then* it is marked, so that no thread that finds the mark can
    /// still be about to run it.
    package func end() -> Status {
        SchedulePoint.pass()
        ReadSide.waitForReaders()
        return ThreadSlot.current.isInCallback ? finishLater() : finish()
    }

    /// Leaves the end to the last running call, if there is one.
    private func finishLater() -> Status {
        let deferred = mark(RegistrationRecord.State.deferred)
        // Of this thread and one that returns just now, one at least sees what the other has stored.
        ReadSide.barrier()
        return finishIfIdle(deferred) ? .ok : .pending
    }

    /// Gives the state as it is then.
    private func mark(_ state: UInt32) -> UInt32 {
        let marked = pointee.state.load(ordering: .relaxed) & ~RegistrationRecord.State.mask | state
        pointee.state.store(marked, ordering: .sequentiallyConsistent)
        return marked
    }

    /// To be called after each ``ThreadSlot`` pop of this registration.
    @inline(__always)
    package func didReturn() {
        let state = pointee.state.load(ordering: .acquiring)
        SchedulePoint.pass()
        if state & RegistrationRecord.State.mask != RegistrationRecord.State.live { didReturnRemoved(state) }
        SchedulePoint.drain()
    }

    @inline(never)
    private func didReturnRemoved(_ state: UInt32) {
        if state & RegistrationRecord.State.mask == RegistrationRecord.State.deferred {
            SchedulePoint.pass()
            ReadSide.barrier()
            _ = finishIfIdle(state)
        }
    }

    /// Destroys a registration that nobody runs, by the deferred state that was seen before looking for that: meanwhile
    /// the record may have become another one. Anybody may try: one succeeds, the others cannot tell when.
    private func finishIfIdle(_ deferred: UInt32) -> Bool {
        guard !ReadSide.isRunning(pointee.header.index) else { return false }
        SchedulePoint.pass()
        guard
            pointee.state.compareExchange(
                expected: deferred, desired: deferred | RegistrationRecord.State.destroyed,
                ordering: .acquiringAndReleasing
            ).exchanged
        else { return false }
        destroy()
        return true
    }

    /// The same as ``end()`` for several: *pending* if one of them is.
    package static func endEach(_ registrations: [Self]) -> Status {
        guard ThreadSlot.current.isInCallback else { return endAll(registrations) }
        return registrations.reduce(.ok) { $1.end() == .pending ? .pending : $0 }
    }

    /// The same as ``end()`` outside callbacks, for many at the price of one grace period. Callers free what led to
    /// them after it, so it waits for readers even when there are none.
    @discardableResult
    package static func endAll(_ registrations: [Self]) -> Status {
        ReadSide.waitForReaders()
        var status = Status.ok
        for registration in registrations {
            let ended = status == .ok ? registration.finish() : registration.finishLater()
            if ended == .pending { status = .pending }
        }
        return status
    }

    /// Waits for the running calls, all of which can be seen, and destroys it.
    private func finish() -> Status {
        SchedulePoint.pass()
        _ = mark(RegistrationRecord.State.removed)
        var wait = NappingWait()
        while ReadSide.isRunning(pointee.header.index) {
            guard wait.nap() else { return finishLater() }
        }
        destroy()
        return .ok
    }

    private func destroy() {
        SchedulePoint.pass()
        // An owner's interceptors end with it, after the last of its registrations.
        let interceptors = pointee.owner == nil ? pointee.interceptors : nil
        let (context, bus) = (pointee.context, pointee.bus)
        pointee.pattern?.release()
        pointee.pattern = nil
        pointee.freeSpecial()
        context.destroy()
        interceptors?.destroy()
        let record = UnsafeMutableRawPointer(self)
        ProcessState.lock.with { ProcessState.current.pointee.registrations.give(record) }
        bus.pointee.leaving.wrappingSubtract(1, ordering: .releasing)
    }
}
