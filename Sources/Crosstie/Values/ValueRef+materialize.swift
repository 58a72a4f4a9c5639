extension ValueRef {
    /// A value with no foreign value in it, owned: this one when it has none.
    ///
    /// - Parameter keepsDescriptors: whether descriptors stay as they are, for handlers of this process and for joined peers.
    /// - Throws: `foreignValue` with the path of an object without a plain form, `limitExceeded`, `outOfMemory`.
    package func materialized(keepsDescriptors: Bool = false) throws(CrosstieError) -> ValueRef {
        guard holdsForeign else { return retained() }
        var walk = PlainWalk(keepsDescriptors: keepsDescriptors)
        do throws(CrosstieError) {
            return try walk.plain(self, level: 0)
        } catch {
            throw error.underRoot()
        }
    }
}

/// Makes the plain form of a value. Shared parts are made once, so that time and memory grow with the real size of the
/// value, not with the number of visits.
private struct PlainWalk: ~Copyable {
    private struct Source: Hashable {
        let address: UInt
        let type: UInt32
    }

    private let keepsDescriptors: Bool
    private var stack = ValueStack()
    private var visited = 0
    /// The results for parts that may be visited again, and those parts, so that their addresses are not reused.
    private var known: [Source: (part: ValueRef, plain: ValueRef)] = [:]

    /// In a small value nothing is looked for twice.
    private static var small: Int { 1024 }

    init(keepsDescriptors: Bool) { self.keepsDescriptors = keepsDescriptors }

    deinit {
        for (part, plain) in known.values {
            part.release()
            plain.release()
        }
    }

    mutating func plain(_ value: ValueRef, level: Int) throws(CrosstieError) -> ValueRef {
        guard value.holdsForeign else { return value.retained() }
        guard level <= ValueRef.maxDepth else {
            throw CrosstieError(.limitExceeded, "foreign values materialize to others over \(ValueRef.maxDepth) deep")
        }
        visited &+= 1
        guard visited > PlainWalk.small, let source = source(of: value) else { return try make(value, level: level) }
        if let made = known[source] { return made.plain.retained() }
        let made = try make(value, level: level)
        known[source] = (value.retained(), made.retained())
        return made
    }

    /// The key of a part that may be visited again; nil for a part that is not shared.
    private func source(of value: ValueRef) -> Source? {
        if let foreign = value.foreign { return Source(address: UInt(bitPattern: foreign.object), type: foreign.type) }
        return value.isShared ? Source(address: value.bits, type: 0) : nil
    }

    private mutating func make(_ value: ValueRef, level: Int) throws(CrosstieError) -> ValueRef {
        switch value.kind {
        case .list: return try makeList(value, level: level)
        case .map: return try makeMap(value, level: level)
        default: return try makeForeign(value, level: level)
        }
    }

    private mutating func makeList(_ list: ValueRef, level: Int) throws(CrosstieError) -> ValueRef {
        let base = stack.count
        for (index, item) in list.items.enumerated() {
            do throws(CrosstieError) {
                try stack.push(try plain(item, level: level &+ 1), key: .empty)
            } catch {
                throw error.under(index: index)
            }
        }
        return try stack.popList(from: base)
    }

    private mutating func makeMap(_ map: ValueRef, level: Int) throws(CrosstieError) -> ValueRef {
        let base = stack.count
        for entry in map.entries {
            let key = map.key(of: entry)
            do throws(CrosstieError) {
                try stack.push(try plain(entry.value, level: level &+ 1), key: key)
            } catch {
                throw error.under(key: key)
            }
        }
        return try stack.popMap(from: base)
    }

    private mutating func makeForeign(_ value: ValueRef, level: Int) throws(CrosstieError) -> ValueRef {
        guard let foreign = value.foreign, !keepsDescriptors || value.descriptor == nil else {
            return value.retained()
        }
        let hooks = ForeignTypes.hooks(Int(foreign.type)).pointee
        var out: OpaquePointer?
        guard let materialize = hooks.materialize else { throw hooks.noPlainForm("it has no hook for that") }
        let status = Status(rawValue: materialize(foreign.object, &out))
        let made = ValueRef(out)
        defer { made?.release() }
        guard status == .ok, let made else {
            let why = made?.string.map { String($0.prefix(1024)) }
            throw hooks.noPlainForm(why ?? "its hook answered \(status)", status)
        }
        return try plain(made, level: level &+ 1)
    }
}

extension ForeignHooks {
    /// An error in the content keeps its status.
    fileprivate func noPlainForm(_ why: String, _ answered: Status = .foreignValue) -> CrosstieError {
        let name = String(decoding: tag, as: UTF8.self)
        let status = [.invalidUTF8, .limitExceeded, .outOfMemory].contains(answered) ? answered : .foreignValue
        return CrosstieError(status, "a foreign value of type \(name) has no plain form: \(why)")
    }
}

extension UnsafeRawBufferPointer {
    package static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
}
