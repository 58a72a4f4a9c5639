import Synchronization

/// The way of every request, whatever its kind: interceptors, then the resolver of its kind, then
/// the handler, then one end.
package enum Pipeline {
    /// Runs a request on this thread until it has ended, or somebody keeps it or another thread has it.
    ///
    /// The stack must have room (``ThreadSlot``), and the caller holds a reference to the block.
    @inline(__always)
    package static func run(_ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>) {
        let kinds = block.pointee.bus.pointee.interceptors.load(ordering: .relaxed)
        if kinds & block.pointee.kind.bit != 0 || block.pointee.extras != nil {
            if kinds & Interceptors.measured != 0 { block.meterIfMeasured() }
            goOn(block, slot)
        } else if KindTable.runBest(block, slot) {
            goOn(block, slot)
        }
    }

    /// The same from wherever the request has come to: the first way was not its last one.
    @inline(never)
    package static func goOn(_ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>) {
        repeat {
            guard !block.isEnding else { return block.stopRunning() }
            guard Interceptors.run(block, slot) else { return }
        } while KindTable.runBest(block, slot)
    }

    /// Runs the best handler of those that have not declined yet. True when the request has to go on: this one
    /// declined, or it was an interceptor of the route that ran.
    ///
    /// - Parameter kind: the type of its kind, and no closure of its resolver: a closure is not inlined.
    @inline(__always)
    static func runBest<Kind: KindOfRequest>(
        _ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>, _ kind: Kind.Type
    ) -> Bool {
        block.pointee.verdict = .none
        ReadSide.enter(slot)
        guard block.isBusLive else {
            ReadSide.leave(slot)
            fail(block, .closed)
            return false
        }
        switch kind.resolve(block) {
        case .failed(let status):
            ReadSide.leave(slot)
            fail(block, status)
            return false
        case .system:
            ReadSide.leave(slot)
            KindTable.type(of: block.pointee.kind).answer(block)
            block.stopRunning()
            return false
        case .found(let registration, let match):
            if registration.pointee.traits.rawValue != 0 {
                let admission = Admission.of(registration, match, block, slot)
                guard admission == .now else { return admission == .again }
            }
            let matchHandle = match.pointee.header.handle(.registration)
            slot.push(registration.pointee.header.index, block, isTrusted: block.pointee.isLocal)
            ReadSide.leave(slot)
            call(registration, block, slot)
            guard conclude(block) == .declined else { return false }
            // A rule is passed over with its handler; a resolver that it led to leaves it to the performer's fallback.
            let rule = match == registration ? nil : block.pointee.rule
            if block.extras.noteDecline(of: matchHandle, rule) { return true }
            fail(block, .limitExceeded)
            return false
        }
    }

    /// Calls a handler whose registration is on the slot's stack, and takes it off.
    @inline(__always)
    private static func call(
        _ registration: RegistrationRecord.Pointer, _ block: RequestBlock.Pointer,
        _ slot: UnsafeMutablePointer<ThreadSlot>
    ) {
        block.lend(registration.pointee.pattern ?? block.rulePattern)
        block.pointee.retainCount.startRunning()
        if let request = block.opaque(.request) {
            if let runtime = block.pointee.runtime, runtime.identity != registration.pointee.runtime {
                runtime.without { registration.pointee.handler(request, registration.pointee.context.pointer) }
            } else {
                registration.pointee.handler(request, registration.pointee.context.pointer)
            }
        }
        slot.pop()
        registration.didReturn()
    }

    private enum Conclusion {
        case done, kept, declined
    }

    /// Finishes a handler that has returned.
    @inline(always)
    private static func conclude(_ block: RequestBlock.Pointer) -> Conclusion {
        guard block.pointee.retainCount.stopRunningUnretained() else { return concludeRetained(block) }
        if block.pointee.keepsPattern { block.dropPattern() }
        block.pointee.pattern = nil
        if block.hasEnded { return .done }
        if block.pointee.verdict == .declined { return .declined }
        endUnanswered(block)
        return .done
    }

    /// Ends a request that its handler neither ended nor kept: it has opened the URL, or received the event.
    @inline(__always)
    private static func endUnanswered(_ block: RequestBlock.Pointer) {
        if block.isOverdue {
            block.end(.timedOut)
        } else if !block.pointee.kind.takesSilenceForSuccess {
            block.end(.noReply)
        } else if block.pointee.isAsynchronous || block.pointee.isShared {
            _ = block.end(.ok, code: Status.ok.code)
        } else {
            block.endAlone()
        }
    }

    /// The same when the handler has retained the request, or an interceptor before it.
    ///
    /// A request that the handler has not retained counts as running until it has ended or another handler runs: the
    /// release of an earlier retain must not end it.
    @inline(never)
    private static func concludeRetained(_ block: RequestBlock.Pointer) -> Conclusion {
        if !block.pointee.retainCount.wasRetainedSinceStart, !block.hasEnded {
            block.dropPattern()
            if block.pointee.verdict == .declined { return .declined }
            endUnanswered(block)
            block.stopRunning()
            return .done
        }
        let isRetained = block.pointee.retainCount.stopRunning()
        SchedulePoint.pass()
        if block.hasEnded { return .done }
        if isRetained { return .kept }
        block.end(.noReply)
        return .done
    }

    /// When all that matched have declined, it is as if none had matched.
    @inline(never)
    private static func fail(_ block: RequestBlock.Pointer, _ status: Status) {
        switch status {
        case .noRoute, .blocked:
            let hasDeclined = block.pointee.extras?.hasDeclined == true
            if hasDeclined { block.pointee.verdict = .declined }
            block.end(hasDeclined ? .noRoute : status)
        default:
            let message = KindTable.type(of: block.pointee.kind).message(of: block, failedWith: status)
            block.end(status, message: message ?? block.malformation(status)?.error.description ?? "")
        }
        block.stopRunning()
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Whether the request's bus is still the one it was made on. Only inside a read section does the
    /// answer hold beyond the call.
    ///
    /// The handle is compared whole: half of a word that was just stored cannot be loaded before the store is done.
    @inline(__always)
    package var isBusLive: Bool {
        let bus = pointee.bus
        let generation = bus.pointee.header.generation.load(ordering: .acquiring)
        return Handle(.bus, index: bus.pointee.header.index, generation: generation) == pointee.busHandle
    }

    /// The error in a foreign URL that has failed with a status.
    @inline(never)
    func malformation(_ status: Status) -> ParseFailure? {
        pointee.extras?.malformation.flatMap { $0.status == status ? $0 : nil }
    }

    /// The pattern of the rule by which the request came; the request keeps the rule.
    @inline(__always)
    var rulePattern: PatternInfo? { pointee.rule?.pattern }
}
