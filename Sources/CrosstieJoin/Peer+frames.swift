/// Frames of a peer, on the thread that receives.
extension Peer {
    /// Handles a frame. False if it breaks the form.
    ///
    /// - Parameters:
    ///   - ticket: where the caller of a call waits for its answer.
    ///   - brought: the descriptors that the frame may name.
    ///   - outside: the bytes that it may name.
    func receive(
        _ bytes: UnsafeRawBufferPointer, _ ticket: AnswerTicket? = nil, _ brought: BroughtDescriptors = .none,
        outside: OutsideBytes = .none
    ) -> Bool {
        // A frame of another version may have another form; such a peer only stays known.
        if hello != nil, !isCompatible { return true }
        guard let frame = Frame(bytes) else { return false }
        if case .hello(let hello) = frame { return self.hello == nil && join.greet(self, hello) }
        // A peer that was refused has offered its memory already.
        if case .share = frame, hello == nil { return true }
        guard hello != nil else { return false }
        switch frame {
        case .hello: return false
        case .exports(let names, let idempotent):
            setExports(names, idempotent)
            if let description { join.notify(.changed, of: self, description) }
            return true
        case .request(let request): return begin(request, ticket, brought, outside)
        case .answer(let answer): return receive(answer, brought, outside)
        // Others name none.
        case _ where !brought.isNone: return false
        case .progress(let id, let bytes):
            guard let value = try? MessagePack.decode(bytes) else { return false }
            receiveProgress(id, value)
            return true
        case .cancel(let id):
            cancelIncoming(id)
            return true
        case .goodbye:
            takeAnswers()
            end(.peerGone, "\(title) left before it answered")
            return true
        case .share: return acceptMemory()
        case .memory: return readMemory()
        // It comes by the socket alone.
        case .descriptors: return false
        }
    }

    /// Handles an answer.
    func receive(
        _ answer: AnswerFrame, _ brought: BroughtDescriptors = .none, _ outside: OutsideBytes = .none
    ) -> Bool {
        var outside = outside
        if brought.isRefused {
            finish(answer.id, CallAnswer(.limitExceeded, BroughtDescriptors.reason))
            return true
        }
        guard let value = Peer.value(answer.value, brought.files, &outside) else { return false }
        let message = answer.message.isEmpty ? ValueRef.null : (try? ValueRef.string(answer.message)) ?? .null
        let status = answer.status.isKnown && answer.status != .pending ? answer.status : .unknownAnswer
        finish(answer.id, CallAnswer(status, code: answer.code, value: value, message: message))
        return true
    }

    /// An optional value, owned; nil for one that cannot be decoded.
    private static func value(
        _ bytes: UnsafeRawBufferPointer, _ descriptors: [Descriptor], _ outside: inout OutsideBytes
    ) -> ValueRef? {
        bytes.isEmpty ? .null : try? MessagePack.decode(bytes, descriptors, &outside)
    }

    /// The same of a map or null.
    private static func map(
        _ bytes: UnsafeRawBufferPointer, _ descriptors: [Descriptor], _ outside: inout OutsideBytes
    ) -> ValueRef? {
        guard let value = value(bytes, descriptors, &outside) else { return nil }
        if value.kind == .map || value.kind == .null { return value }
        value.release()
        return nil
    }

    /// Runs a request of the peer.
    private func begin(
        _ frame: RequestFrame, _ ticket: AnswerTicket?, _ brought: BroughtDescriptors, _ outside: OutsideBytes
    ) -> Bool {
        var outside = outside
        guard !brought.isRefused else { return refuse(frame.id, ticket, .limitExceeded, BroughtDescriptors.reason) }
        guard let params = Peer.map(frame.params, brought.files, &outside) else { return false }
        defer { params.release() }
        guard let info = Peer.map(frame.userInfo, brought.files, &outside) else { return false }
        defer { info.release() }
        guard isExported(frame) else { return refuse(frame.id, ticket, frame.kind == .open ? .noRoute : .noComponent) }
        guard frame.depth <= ThreadSlot.maximumDepth else { return refuse(frame.id, ticket, .nestedTooDeeply) }
        guard join.enterCall() else {
            return refuse(frame.id, ticket, .busy, "\(join.name) has \(join.maximumCalls) calls of peers (max_calls)")
        }
        guard let call = enterIncoming(frame.id, ticket) else {
            join.leaveCall()
            return takesNoCalls
        }
        run(frame, call, params, info)
        putDown()
        return true
    }

    private func isExported(_ frame: RequestFrame) -> Bool {
        switch frame.kind {
        case .open: Wanted.with(frame.target) { $0.map(join.hasExported) ?? false }
        case .event: join.hasExported(.event(String(decoding: frame.target, as: UTF8.self)))
        default: join.hasExported(.action(component: frame.target, frame.action))
        }
    }

    private func run(_ frame: RequestFrame, _ call: IncomingCall, _ params: ValueRef, _ info: ValueRef) {
        var spec = RequestSpec(isLocal: join.isTrusted && frame.isLocal)
        spec.timeoutMilliseconds = frame.millisecondsLeft < 0 ? -1 : max(frame.millisecondsLeft, 1)
        spec.userInfo = info
        let delivery = RequestDelivery()
        delivery.dispatcher = join.dispatcher
        delivery.sender = sender(depth: frame.depth - min(frame.depth, 1))
        if frame.wantsProgress {
            delivery.listener = ProgressListener(IncomingCall.progress, CallbackContext(holding: call))
        }
        spec.delivery = Held(delivery)
        let outcome = start(frame, params, spec, CallbackContext(holding: call))
        guard let block = outcome.block, outcome.status.isSuccess else {
            return refuse(call, outcome)
        }
        let handle = block.pointee.header.handle(.call)
        if !note(handle, of: call) { _ = RequestBlock.releaseCall(handle) }
    }

    /// URLs and events do not leave again: two buses that import them of each other would send them to and fro.
    private func start(
        _ frame: RequestFrame, _ params: ValueRef, _ spec: RequestSpec, _ context: CallbackContext
    ) -> Outcome {
        var spec = spec
        switch frame.kind {
        case .open:
            spec.staysHere = true
            return OpenKind.openAsynchronously(
                join.bus, frame.target, spec, keeping: true, completion: IncomingCall.complete, context: context)
        case .event:
            spec.staysHere = true
            do throws(CrosstieError) {
                return try EventKind.start(
                    join.bus, String(decoding: frame.target, as: UTF8.self), params, spec, keeping: true,
                    completion: IncomingCall.complete, context: context)
            } catch {
                return Outcome(error.status)
            }
        default:
            return NamedRequest.callAsynchronously(
                .call, join.bus.pointer, frame.target, frame.action, params.pointer, spec, keeping: true,
                completion: IncomingCall.complete, context: context)
        }
    }

    private func refuse(_ call: IncomingCall, _ outcome: Outcome) {
        let error = outcome.block.map { outcome.refusal(of: $0) } ?? outcome.error
        outcome.block?.drop()
        let status = outcome.status == .closed || outcome.status == .invalidHandle ? .peerGone : outcome.status
        answer(call, FrameWriter(answer: call.id, status, code: status.code, error.message))
    }

    private func refuse(
        _ id: UInt64, _ ticket: AnswerTicket?, _ status: Status, _ message: String = ""
    ) -> Bool {
        // After this side's goodbye, its caller's thread might see the answer first.
        guard !hasEnded else { return true }
        answer(id, ticket, FrameWriter.answer(id, status, code: status.code, message: message))
        return true
    }
}
