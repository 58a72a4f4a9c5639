import Synchronization

extension RegistrationRecord {
    /// The fields that few registrations have. They are apart, so that the many take less memory and fewer cache lines.
    package struct Special: ~Copyable {
        let interceptors: InterceptorChain?
        /// The rule that this is, which has a handler elsewhere.
        let rule: LoadedRule?
        /// The owner of this registration and of others.
        let owner: RegistrationOwner?
        /// The function of a log's registration, which has no handler.
        let log: LogFunction?
        /// The counts and times of its requests.
        let meter: Meter?
        /// The number of starts of the handler, where they are counted.
        let hits = Atomic<Int64>(0)

        /// Nil for a plain handler.
        static func make(_ content: RegistrationContent, _ meter: Meter?) -> UnsafeMutablePointer<Special>? {
            guard
                !content.interceptors.isEmpty || content.rule != nil || content.log != nil
                    || content.owner != nil || content.traits.contains(.counted) || meter != nil
            else { return nil }
            let special = UnsafeMutablePointer<Special>.allocate(capacity: 1)
            special.initialize(
                to: Special(
                    interceptors: content.owner?.interceptors ?? InterceptorChain(content.interceptors),
                    rule: content.rule, owner: content.owner, log: content.log, meter: meter))
            return special
        }
    }

    package var interceptors: InterceptorChain? { special?.pointee.interceptors }

    package var rule: LoadedRule? { special?.pointee.rule }

    package var owner: RegistrationOwner? { special?.pointee.owner }

    package var log: LogFunction? { special?.pointee.log }

    var meter: Meter? { special?.pointee.meter }

    /// Nil where they are not counted.
    package var hits: Int64? { traits.contains(.counted) ? special?.pointee.hits.load(ordering: .relaxed) : nil }

    func countHit() { _ = special?.pointee.hits.add(1, ordering: .relaxed) }

    /// Frees the special fields, but not the objects of its interceptors.
    mutating func freeSpecial() {
        special?.pointee.meter?.letGo()
        special?.deinitialize(count: 1)
        special?.deallocate()
        special = nil
    }
}
