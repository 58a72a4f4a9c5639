import CCrosstie
import Crosstie
import Synchronization

/// What a listener's handle stands for.
private final class BoundListener {
    let member: Member
    let binding: Binding

    init(_ member: Member, _ binding: Binding) {
        self.member = member
        self.binding = binding
    }
}

@_cdecl("ctie_wormhole_listen") @implementation
public func ctie_wormhole_listen(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ fn: ctie_listener_fn?,
    _ userData: UnsafeMutableRawPointer?, _ destroy: ctie_destroy_fn?,
    _ given: UnsafePointer<ctie_listen_options>?, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    let context = CallbackContext(pointer: userData, destroy: destroy)
    var isPending = false
    let failure = answer(error) { () throws(CrosstieError) in
        isPending = try listen(wormhole, identifier, fn, context, given, out) == .pending
    }
    if failure < 0 { context.destroy() }
    return failure == 0 && isPending ? CTIE_PENDING.status : failure
}

private func listen(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ fn: ctie_listener_fn?, _ context: CallbackContext,
    _ given: UnsafePointer<ctie_listen_options>?, _ out: HandleOut
) throws(CrosstieError) -> Status {
    let member = try member(wormhole)
    guard let fn else { throw CrosstieError(.invalid, "fn is NULL") }
    let given = try options(given, default: ctie_listen_options())
    guard given.flags & ~UInt32(CTIE_LISTEN_NO_FIRST_FIRE | CTIE_LISTEN_QUEUE | CTIE_LISTEN_FROM_OLDEST) == 0 else {
        throw CrosstieError(.invalid, "an unknown flag", at: "options.flags")
    }
    let name = try text(given.name, named: "name", limit: 128)
    let handle = ListenerHandle()
    var chosen = ListenOptions()
    chosen.name = Array(name)
    chosen.firstFire = given.flags & UInt32(CTIE_LISTEN_NO_FIRST_FIRE) == 0
    if given.flags & UInt32(CTIE_LISTEN_QUEUE) != 0 { chosen.delivery = .queue }
    chosen.fromOldest = given.flags & UInt32(CTIE_LISTEN_FROM_OLDEST) != 0
    chosen.place = try place(given)
    let binding = try member.makeBinding(
        try bytes(identifier), chosen,
        call: { message in fn(OpaquePointer(Unmanaged.passUnretained(message).toOpaque()), context.pointer) },
        end: {
            handle.end()
            context.destroy()
        })
    if let out { out.pointee = try handle.publish(BoundListener(member, binding)) }
    do throws(CrosstieError) {
        return try member.bind(binding)
    } catch {
        handle.end()
        out?.pointee = nil
        throw error
    }
}

/// Where a listener is to be called.
private func place(_ given: ctie_listen_options) throws(CrosstieError) -> ListenPlace {
    if let bus = given.bus {
        guard given.loop == nil else { throw CrosstieError(.invalid, "both a loop and a bus", at: "options.bus") }
        let name = try string(given.dispatcher, named: "dispatcher", limit: Name.maximumSize)
        return .dispatcher(try DispatcherPlace(of: Handle(bus), named: name))
    }
    guard given.dispatcher.size == 0 else {
        throw CrosstieError(.invalid, "a dispatcher without a bus", at: "options.dispatcher")
    }
    return given.loop == nil ? .wormhole : .loop(try loop(given.loop))
}

/// The handle of a listener, if its host wanted one: it dies with the binding, whatever ends that.
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
        let bound = try ObjectRecord.retire(Handle(listener), .listener, as: BoundListener.self)
        return bound.member.unbind(bound.binding) ?? .handle
    }
}

@_cdecl("ctie_wormhole_remove_listener") @implementation
public func ctie_wormhole_remove_listener(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ name: ctie_str
) -> ctie_status {
    status { () throws(CrosstieError) in
        let member = try member(wormhole)
        guard let identifier = identifier.bytes, let name = name.bytes, !name.isEmpty else { return .notFound }
        return member.removeListener(identifier, name: Array(name.prefix(256)))
    }
}

@_cdecl("ctie_wormhole_remove_listeners") @implementation
public func ctie_wormhole_remove_listeners(_ wormhole: OpaquePointer?) -> ctie_status {
    status { () throws(CrosstieError) in try member(wormhole).removeListeners() }
}

// The wormhole's own loop.

@_cdecl("ctie_wormhole_loop") @implementation
public func ctie_wormhole_loop(_ wormhole: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    out.pointee = nil
    return answer(nil) { () throws(CrosstieError) in out.pointee = try member(wormhole).loop().opaque() }
}

@_cdecl("ctie_wormhole_fd") @implementation
public func ctie_wormhole_fd(_ wormhole: OpaquePointer?, _ out: UnsafeMutablePointer<Int32>?) -> ctie_status {
    descriptor(out) { () throws(CrosstieError) in try member(wormhole).loop() }
}

@_cdecl("ctie_wormhole_dispatch") @implementation
public func ctie_wormhole_dispatch(_ wormhole: OpaquePointer?, _ out: UnsafeMutablePointer<Int>?) -> ctie_status {
    dispatch(out) { () throws(CrosstieError) in try member(wormhole).loop() }
}
