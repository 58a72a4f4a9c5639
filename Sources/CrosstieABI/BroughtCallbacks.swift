import CCrosstie
import Crosstie

/// A struct of options that holds callbacks, or a provider. They are destroyed also where the struct is refused, as far
/// as this library knows them: a newer header has them where this one has.
protocol BroughtCallbacks {
    func destroyCallbacks()
}

/// As ``options(_:_:default:)``. Destroys the callbacks of a struct of a newer header.
func options<Options: BroughtCallbacks>(
    _ pointer: UnsafePointer<Options>?, _ sizes: OptionSizes, default: Options
) throws(CrosstieError) -> Options {
    guard let pointer else { return `default` }
    return try isWholeOrDestroyed(pointer, sizes) ? pointer.pointee : completed(pointer, by: `default`)
}

/// As ``isWhole(_:_:)``. Destroys the callbacks of a struct of a newer header.
@inline(__always)
func isWholeOrDestroyed<Options: BroughtCallbacks>(
    _ pointer: UnsafePointer<Options>, _ sizes: OptionSizes
) throws(CrosstieError) -> Bool {
    do throws(CrosstieError) {
        return try isWhole(pointer, sizes)
    } catch {
        if error.status == .incompatibleABI { pointer.pointee.destroyCallbacks() }
        throw error
    }
}

private func destroy(_ interceptors: UnsafePointer<ctie_handler>?, _ count: Int) {
    for interceptor in (try? take(interceptors, count)) ?? [] { interceptor.context.destroy() }
}

extension ctie_component_options: BroughtCallbacks {
    func destroyCallbacks() { destroy(interceptors, interceptor_count) }
}

extension ctie_handler_options: BroughtCallbacks {
    func destroyCallbacks() { destroy(interceptors, interceptor_count) }
}

extension ctie_provider: BroughtCallbacks {
    func destroyCallbacks() { CallbackContext(pointer: user_data, destroy: destroy).destroy() }
}

extension ctie_request_options: BroughtCallbacks {
    func destroyCallbacks() {
        destroy(interceptors, interceptor_count)
        progress.context.destroy()
    }
}

extension ctie_route_options: BroughtCallbacks {
    func destroyCallbacks() { destroy(interceptors, interceptor_count) }
}

extension ctie_wormhole_options: BroughtCallbacks {
    func destroyCallbacks() {
        log.context.destroy()
        if let transport = try? hostTransport() { transport.destroy?(transport_data) }
        if let engine = try? hostEngine() { engine.close?(engine_data) }
    }

    /// The functions of the host's transport; nil for none. Functions of a newer header are destroyed, because this
    /// library does not need them.
    func hostTransport() throws(CrosstieError) -> ctie_transport? {
        guard let transport else { return nil }
        do throws(CrosstieError) {
            return try options(transport, .transport, default: ctie_transport())
        } catch {
            if error.status == .incompatibleABI { transport.pointee.destroy?(transport_data) }
            throw error
        }
    }
    /// The functions of the host's engine, likewise.
    func hostEngine() throws(CrosstieError) -> ctie_engine? {
        guard let engine else { return nil }
        do throws(CrosstieError) {
            return try options(engine, .engine, default: ctie_engine())
        } catch {
            if error.status == .incompatibleABI { engine.pointee.close?(engine_data) }
            throw error
        }
    }
}
