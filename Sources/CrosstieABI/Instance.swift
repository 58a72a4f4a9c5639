import CCrosstie
import Crosstie
import CrosstieInstance

@_cdecl("ctie_instance_claim") @implementation
public func ctie_instance_claim(
    _ bus: OpaquePointer?, _ application: ctie_str, _ given: UnsafePointer<ctie_instance_options>?,
    _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        guard let out else { throw missing("out") }
        let given = try options(given, .instance, default: ctie_instance_options())
        let name = try string(application, named: "application", limit: ApplicationName.maximumSize)
        let directory = try string(given.directory, named: "directory", limit: 4096)
        let dispatcher = try string(given.dispatcher, named: "dispatcher", limit: Name.maximumSize)
        try checkFlags(given.flags, among: CTIE_INSTANCE_NO_DBUS)
        let core = try InstanceCore.claim(
            Handle(bus), name, directory: directory.isEmpty ? nil : directory, dispatcher: dispatcher,
            usesDBus: given.flags & UInt32(CTIE_INSTANCE_NO_DBUS) == 0)
        do throws(CrosstieError) {
            out.pointee = try ObjectRecord.publish(core, .instance).pointer
        } catch {
            _ = core.release()
            throw error
        }
    }
}

private func claimed(_ instance: OpaquePointer?) throws(CrosstieError) -> InstanceCore {
    try ObjectRecord.object(Handle(instance), .instance, as: InstanceCore.self)
}

@_cdecl("ctie_instance_is_first") @implementation
public func ctie_instance_is_first(_ instance: OpaquePointer?, _ out: UnsafeMutablePointer<Bool>?) -> ctie_status {
    status { () throws(CrosstieError) in
        guard let out else { throw missing("out") }
        let core = try claimed(instance)
        if core.isForked { throw CrosstieError(.forked, "") }
        out.pointee = core.isFirst
        return .ok
    }
}

@_cdecl("ctie_instance_dbus_status") @implementation
public func ctie_instance_dbus_status(_ instance: OpaquePointer?, _ error: ErrorOut) -> ctie_status {
    pending(error) { () throws(CrosstieError) in
        let core = try claimed(instance)
        if core.isForked { throw CrosstieError(.forked, "") }
        let state = core.dbusState
        guard state.status == .ok || state.status == .pending else { throw CrosstieError(state.status, state.reason) }
        return state.status
    }
}

@_cdecl("ctie_instance_hand") @implementation
public func ctie_instance_hand(
    _ instance: OpaquePointer?, _ urls: ctie_str_list, _ activation: OpaquePointer?, _ milliseconds: Int64,
    _ answers: HandleOut, _ error: ErrorOut
) -> ctie_status {
    answers?.pointee = nil
    return pending(error) { () throws(CrosstieError) in
        let core = try claimed(instance)
        let urls = try strings(urls, named: "urls", limit: InstanceCore.maximumURL, count: InstanceCore.maximumURLs)
        let given = ValueRef(activation).map { Value(borrowing: $0) } ?? Activation.ofProcess
        let all = try core.hand(urls, given, milliseconds: milliseconds)
        try give(all, answers)
        if let failure = all.failure { throw failure }
        return all.contains { $0.status == .pending } ? .pending : .ok
    }
}

@_cdecl("ctie_instance_ready") @implementation
public func ctie_instance_ready(_ instance: OpaquePointer?, _ error: ErrorOut) -> ctie_status {
    answer(error) { () throws(CrosstieError) in try claimed(instance).ready() }
}

private func give(_ all: [HandedURL], _ out: HandleOut) throws(CrosstieError) {
    guard let out else { return }
    out.pointee = try Value.list(all.map(\.map)).makeRef().pointer
}

@_cdecl("ctie_instance_release") @implementation
public func ctie_instance_release(_ instance: OpaquePointer?) -> ctie_status {
    guard instance != nil else { return CTIE_OK.status }
    return status { () throws(CrosstieError) in
        try ObjectRecord.retire(Handle(instance), .instance, as: InstanceCore.self).release()
    }
}
