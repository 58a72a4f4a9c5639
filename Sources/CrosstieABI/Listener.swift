import CCrosstie
import Crosstie
import CrosstieWormhole
import Synchronization

/// The object behind a listener's handle.
private final class BoundListener {
    let core: WormholeCore
    let binding: Binding

    init(_ core: WormholeCore, _ binding: Binding) {
        self.core = core
        self.binding = binding
    }
}

@_cdecl("ctie_wormhole_listen") @implementation
public func ctie_wormhole_listen(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ receiver: ctie_receiver,
    _ given: UnsafePointer<ctie_listen_options>?, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    bind(wormhole, receiver, given, out, error) { core, given, host throws(CrosstieError) in
        let options = try listenOptions(given)
        return try core.makeBinding(try bytes(identifier), options, call: host.call, end: host.end)
    }
}

@_cdecl("ctie_wormhole_listen_members") @implementation
public func ctie_wormhole_listen_members(
    _ wormhole: OpaquePointer?, _ receiver: ctie_receiver, _ given: UnsafePointer<ctie_listen_options>?,
    _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    bindToGroup(wormhole, receiver, given, out, error) { core, options, host throws(CrosstieError) in
        try core.makeMemberBinding(options, call: host.call, end: host.end)
    }
}

@_cdecl("ctie_wormhole_listen_connection") @implementation
public func ctie_wormhole_listen_connection(
    _ wormhole: OpaquePointer?, _ receiver: ctie_receiver, _ given: UnsafePointer<ctie_listen_options>?,
    _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    bindToGroup(wormhole, receiver, given, out, error) { core, options, host throws(CrosstieError) in
        try core.makeConnectionBinding(options, call: host.call, end: host.end)
    }
}

/// The host's callback in a binding.
private struct HostListener {
    let call: (Message) -> Void
    let end: () -> Void
}

/// Binds the listener that `make` returns, which has no identifier.
private func bindToGroup(
    _ wormhole: OpaquePointer?, _ receiver: ctie_receiver, _ given: UnsafePointer<ctie_listen_options>?,
    _ out: HandleOut, _ error: ErrorOut,
    _ make: (WormholeCore, ListenOptions, HostListener) throws(CrosstieError) -> Binding
) -> ctie_status {
    bind(wormhole, receiver, given, out, error) { core, given, host throws(CrosstieError) in
        try checkFlags(given.flags, among: CTIE_LISTEN_NO_INITIAL_DELIVERY)
        return try make(core, try listenOptions(given), host)
    }
}

/// Binds the listener that `make` returns; if anything is refused, the host's data is destroyed.
private func bind(
    _ wormhole: OpaquePointer?, _ receiver: ctie_receiver, _ given: UnsafePointer<ctie_listen_options>?,
    _ out: HandleOut, _ error: ErrorOut,
    _ make: (WormholeCore, ctie_listen_options, HostListener) throws(CrosstieError) -> Binding
) -> ctie_status {
    out?.pointee = nil
    let context = receiver.context
    var isPending = false
    let failure = answer(error) { () throws(CrosstieError) in
        let core = try core(wormhole)
        guard let fn = receiver.fn else { throw missing("fn") }
        let given = try options(given, .listen, default: ctie_listen_options())
        let handle = ListenerHandle()
        let host = HostListener(
            call: { message in fn(OpaquePointer(Unmanaged.passUnretained(message).toOpaque()), context.pointer) },
            end: {
                handle.end()
                context.destroy()
            })
        let binding = try make(core, given, host)
        if let out { out.pointee = try handle.publish(BoundListener(core, binding)) }
        do throws(CrosstieError) {
            isPending = try core.bind(binding) == .pending
        } catch {
            handle.end()
            out?.pointee = nil
            throw error
        }
    }
    if failure < 0 { context.destroy() }
    return failure == 0 && isPending ? CTIE_PENDING.status : failure
}

/// The executor of a listener.
private func executor(_ given: ctie_listen_options) throws(CrosstieError) -> ListenerExecutor {
    if let bus = given.bus {
        guard given.loop == nil else {
            throw CrosstieError(.invalidArgument, "a listener has a loop or a bus, not both", at: "options.bus")
        }
        let name = try string(given.dispatcher, named: "dispatcher", limit: Name.maximumSize)
        return .dispatcher(try DispatcherExecutor(of: Handle(bus), named: name))
    }
    guard given.dispatcher.size == 0 else {
        throw CrosstieError(.invalidArgument, "a dispatcher needs options.bus", at: "options.dispatcher")
    }
    return given.loop == nil ? .wormhole : .loop(try loop(given.loop))
}

private func listenOptions(_ given: ctie_listen_options) throws(CrosstieError) -> ListenOptions {
    let known = CTIE_LISTEN_NO_INITIAL_DELIVERY | CTIE_LISTEN_QUEUE
    let ofQueues = CTIE_LISTEN_FROM_OLDEST | CTIE_LISTEN_DURABLE | CTIE_LISTEN_MANUAL
    try checkFlags(given.flags, among: known | ofQueues)
    func has(_ flag: Int) -> Bool { given.flags & UInt32(flag) != 0 }
    guard has(CTIE_LISTEN_QUEUE) || !has(ofQueues) else {
        let flags = String(given.flags & UInt32(ofQueues), radix: 16)
        throw CrosstieError(
            .invalidArgument, "flags of queues without CTIE_LISTEN_QUEUE: 0x\(flags)", at: "options.flags")
    }
    var chosen = ListenOptions()
    chosen.name = Array(try text(given.name, named: "name", limit: 128))
    chosen.initialDelivery = !has(CTIE_LISTEN_NO_INITIAL_DELIVERY)
    if has(CTIE_LISTEN_QUEUE) { chosen.delivery = has(CTIE_LISTEN_DURABLE) ? .durable : .queue }
    chosen.start = try start(given)
    chosen.isManual = has(CTIE_LISTEN_MANUAL)
    chosen.executor = try executor(given)
    if given.max_unacknowledged != 0 { chosen.maximumUnacknowledged = Int(given.max_unacknowledged) }
    return chosen
}

/// The start position of a queue.
private func start(_ given: ctie_listen_options) throws(CrosstieError) -> QueueStart {
    let isOldest = given.flags & UInt32(CTIE_LISTEN_FROM_OLDEST) != 0
    let count = (isOldest ? 1 : 0) + (given.from_sequence != 0 ? 1 : 0) + (given.from_time != 0 ? 1 : 0)
    if count == 0 { return .next }
    guard count == 1 else {
        throw CrosstieError(
            .invalidArgument, "a listener begins at one of from_sequence, from_time and the flags", at: "options")
    }
    guard given.flags & UInt32(CTIE_LISTEN_QUEUE) != 0 else {
        throw CrosstieError(.invalidArgument, "only a listener with CTIE_LISTEN_QUEUE has a beginning", at: "options")
    }
    if isOldest { return .oldest }
    return given.from_sequence != 0 ? .sequence(given.from_sequence) : .time(given.from_time)
}

/// The handle of a listener, if its host wanted one. It becomes invalid when the binding ends for any reason.
private final class ListenerHandle: Sendable {
    private let bits = Atomic<UInt>(0)

    func publish(_ listener: BoundListener) throws(CrosstieError) -> OpaquePointer? {
        let handle = try ObjectRecord.publish(listener, .listener)
        bits.store(handle.bits, ordering: .releasing)
        return handle.pointer
    }

    func end() {
        let handle = Handle(bits: bits.exchange(0, ordering: .acquiringAndReleasing))
        _ = try? ObjectRecord.retire(handle, .listener, as: BoundListener.self)
    }
}

@_cdecl("ctie_listener_release") @implementation
public func ctie_listener_release(_ listener: OpaquePointer?) -> ctie_status {
    guard listener != nil else { return CTIE_OK.status }
    return status { () throws(CrosstieError) in
        let found = try ObjectRecord.object(Handle(listener), .listener, as: BoundListener.self)
        guard !found.core.isInsideItsTransport else { return .deadlock }
        let bound = try ObjectRecord.retire(Handle(listener), .listener, as: BoundListener.self)
        return bound.core.unbind(bound.binding) ?? .invalidHandle
    }
}

@_cdecl("ctie_wormhole_remove_listener") @implementation
public func ctie_wormhole_remove_listener(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ name: ctie_str, _ error: ErrorOut
) -> ctie_status {
    pending(error) { () throws(CrosstieError) in
        let core = try core(wormhole)
        guard let identifier = identifier.bytes else { throw missing("identifier", " or has no valid size") }
        guard let name = name.bytes else { throw missing("name", " or has no valid size") }
        return try core.removeListener(identifier, name: Array(name.prefix(Identifier.maximumSize &+ 1)))
    }
}

@_cdecl("ctie_wormhole_remove_listeners") @implementation
public func ctie_wormhole_remove_listeners(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ error: ErrorOut
) -> ctie_status {
    pending(error) { () throws(CrosstieError) in
        let core = try core(wormhole)
        guard let identifier = identifier.bytes else { throw missing("identifier", " or has no valid size") }
        return try core.removeListeners(identifier)
    }
}

@_cdecl("ctie_wormhole_remove_all_listeners") @implementation
public func ctie_wormhole_remove_all_listeners(_ wormhole: OpaquePointer?) -> ctie_status {
    status { () throws(CrosstieError) in try core(wormhole).removeAllListeners() }
}

@_cdecl("ctie_wormhole_listeners") @implementation
public func ctie_wormhole_listeners(_ wormhole: OpaquePointer?, _ out: HandleOut, _ error: ErrorOut) -> ctie_status {
    list(out, error) { () throws(CrosstieError) in try core(wormhole).listeners().map(\.value) }
}

extension Wormhole.Bound {
    fileprivate var value: Value {
        var map = ValueMap([
            ("identifier", identifier.map(Value.string) ?? .null), ("name", .string(name)),
            ("delivery", .string(delivery.rawValue)),
        ])
        switch location {
        case .wormhole: map["executor"] = .string("wormhole")
        case .loop: map["executor"] = .string("loop")
        case .dispatcher(let name):
            map["executor"] = .string("dispatcher")
            map["dispatcher"] = .string(name)
        }
        return .map(map)
    }
}

// The wormhole's own loop.

@_cdecl("ctie_wormhole_loop") @implementation
public func ctie_wormhole_loop(_ wormhole: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    return answer(nil) { () throws(CrosstieError) in out.pointee = try core(wormhole).loop().opaque() }
}

@_cdecl("ctie_wormhole_forget") @implementation
public func ctie_wormhole_forget(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ name: ctie_str, _ error: ErrorOut
) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        let core = try core(wormhole)
        guard let identifier = identifier.bytes, let name = name.bytes,
            try core.forget(identifier, name: Array(name.prefix(256)))
        else { throw noDurable(name) }
    }
}
