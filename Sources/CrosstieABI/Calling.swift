import CCrosstie
import Crosstie

/// What a call without a URL is made of, checked.
private struct Callee {
    let names: RequestNames
    let params: ValueRef

    @inline(__always)
    init(_ component: ctie_str, _ action: ctie_str, _ params: OpaquePointer?) throws(CrosstieError) {
        guard let component = component.bytes, let action = action.bytes else {
            throw CrosstieError(.invalid, "a name is NULL or has no valid size")
        }
        guard component.count <= Name.maximumSize, action.count <= Name.maximumSize else {
            throw CrosstieError(.limit, "a name has at most \(Name.maximumSize) bytes")
        }
        names = RequestNames(target: component, action: action)
        self.params = try map(params, named: "params", at: "params")
    }
}

/// What the options of a request say, with what they bring destroyed when the rest of the arguments is refused.
@inline(__always)
func checked<Result>(
    _ given: UnsafePointer<ctie_request_options>?, _ check: () throws(CrosstieError) -> Result
) throws(CrosstieError) -> (order: RequestOrder, rest: Result) {
    let order = try order(given, isLocal: true)
    do throws(CrosstieError) {
        return (order, try check())
    } catch {
        order.interceptors?.destroy()
        throw error
    }
}

@_cdecl("ctie_component_call") @implementation
public func ctie_component_call(
    _ bus: OpaquePointer?, _ component: ctie_str, _ action: ctie_str, _ params: OpaquePointer?,
    _ given: UnsafePointer<ctie_request_options>?, _ response: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    response?.pointee = nil
    detail?.pointee = nil
    do throws(CrosstieError) {
        let (order, callee) = try checked(given) { () throws(CrosstieError) -> Callee in
            try Callee(component, action, params)
        }
        // What went wrong is read from the request.
        let keeping = response != nil || detail != nil
        return settle(
            CallDoor.call(.call, Handle(bus), callee.names, callee.params, order, keeping: keeping), response, detail)
    } catch {
        return report(error, detail)
    }
}

@_cdecl("ctie_component_call_async") @implementation
public func ctie_component_call_async(
    _ bus: OpaquePointer?, _ component: ctie_str, _ action: ctie_str, _ params: OpaquePointer?,
    _ fn: ctie_completion_fn?, _ userData: UnsafeMutableRawPointer?, _ destroy: ctie_destroy_fn?,
    _ given: UnsafePointer<ctie_request_options>?, _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    detail?.pointee = nil
    let context = CallbackContext(pointer: userData, destroy: destroy)
    do throws(CrosstieError) {
        let (order, callee) = try destroying(context) { () throws(CrosstieError) in
            try checked(given) { () throws(CrosstieError) -> Callee in try Callee(component, action, params) }
        }
        let outcome = CallDoor.callAsynchronously(
            .call, Handle(bus), callee.names, callee.params, order, keeping: out != nil, completion: fn,
            context: context)
        out?.pointee = outcome.block?.opaque(.call)
        return settle(outcome, detail)
    } catch {
        return report(error, detail)
    }
}
