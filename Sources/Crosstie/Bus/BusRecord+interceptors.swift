import Synchronization

extension BusRecord {
    /// The most interceptors that may see every request of a bus.
    package static var maximumInterceptors: Int { 1024 }

    /// Registers an interceptor. Those of a lower position see a request first; of equal ones, the older.
    package static func addInterceptor(
        _ handle: Handle, position: Int32, _ scope: InterceptorScope = InterceptorScope(), dispatcher: String = "",
        _ content: RegistrationContent
    ) throws(CrosstieError) -> Handle {
        do throws(CrosstieError) {
            return try withState(handle) { bus, state throws(CrosstieError) in
                guard state.interceptors.count < maximumInterceptors, state.interceptorCount < .max else {
                    throw CrosstieError(.limitExceeded, "a bus has at most \(maximumInterceptors) interceptors")
                }
                var scope = scope
                if !dispatcher.isEmpty { scope.dispatcher = try state.dispatcher(dispatcher) }
                guard let registration = RegistrationRecord.make(content, on: bus) else {
                    throw CrosstieError(.outOfMemory, "no room for another registration")
                }
                state.interceptorCount += 1
                let entry = InterceptorEntry(
                    position: position, age: state.interceptorCount, registration: registration.pointee.header.index,
                    scope: scope)
                let index = state.interceptors.firstIndex { $0.key > entry.key } ?? state.interceptors.endIndex
                state.interceptors.insert(entry, at: index)
                publishInterceptors(bus, state)
                return registration.pointee.header.handle(.registration)
            }
        } catch {
            content.destroy()
            throw error
        }
    }

    /// Takes an interceptor off its bus's list, with the lock held.
    static func unlistInterceptor(_ index: UInt32, _ bus: Pointer, _ state: BusState) {
        guard state.interceptors.contains(where: { $0.registration == index }) else { return }
        state.interceptors.removeAll { $0.registration == index }
        publishInterceptors(bus, state)
    }

    private static func publishInterceptors(_ bus: Pointer, _ state: BusState) {
        let fresh = Interceptors.array(state.interceptors, isMeasured: bus.pointee.meters != nil)
        let old = bus.pointee.interceptors.exchange(fresh, ordering: .acquiringAndReleasing)
        guard old > Interceptors.none(isMeasured: true) else { return }
        ReadSide.waitForReaders()
        Interceptors.free(old)
    }
}
