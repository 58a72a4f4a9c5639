extension ValueRef {
    /// A value with no foreign value in it, owned: this one when it has none.
    ///
    /// - Throws: `foreign` with the path of what has no plain form, `limit`, `noMemory`.
    package func materialized() throws(CrosstieError) -> ValueRef {
        guard holdsForeign else { return retained() }
        var stack = ValueStack()
        do throws(CrosstieError) {
            return try plain(&stack, level: 0)
        } catch {
            throw error.underRoot()
        }
    }

    private func plain(_ stack: inout ValueStack, level: Int) throws(CrosstieError) -> ValueRef {
        guard holdsForeign else { return retained() }
        guard level <= Self.maxDepth else {
            throw CrosstieError(.limit, "foreign values materialize to others over \(Self.maxDepth) deep")
        }
        switch kind {
        case .list: return try plainList(&stack, level: level)
        case .map: return try plainMap(&stack, level: level)
        default: return try plainForeign(&stack, level: level)
        }
    }

    private func plainList(_ stack: inout ValueStack, level: Int) throws(CrosstieError) -> ValueRef {
        let base = stack.count
        for (index, item) in items.enumerated() {
            do throws(CrosstieError) {
                try stack.push(try item.plain(&stack, level: level &+ 1), key: .empty)
            } catch {
                throw error.under(index: index)
            }
        }
        return try stack.popList(from: base)
    }

    private func plainMap(_ stack: inout ValueStack, level: Int) throws(CrosstieError) -> ValueRef {
        let base = stack.count
        for entry in entries {
            let key = key(of: entry)
            do throws(CrosstieError) {
                try stack.push(try entry.value.plain(&stack, level: level &+ 1), key: key)
            } catch {
                throw error.under(key: key)
            }
        }
        return try stack.popMap(from: base)
    }

    private func plainForeign(_ stack: inout ValueStack, level: Int) throws(CrosstieError) -> ValueRef {
        guard let foreign else { return retained() }
        let hooks = ForeignTypes.hooks(Int(foreign.type)).pointee
        var out: OpaquePointer?
        guard let materialize = hooks.materialize else { throw hooks.noPlainForm("it has no hook for that") }
        let status = Status(rawValue: materialize(foreign.object, &out))
        guard let made = ValueRef(out) else { throw hooks.noPlainForm("its hook answered \(status)") }
        defer { made.release() }
        guard status == .ok else { throw hooks.noPlainForm("its hook answered \(status)") }
        return try made.plain(&stack, level: level &+ 1)
    }
}

extension ForeignHooks {
    fileprivate func noPlainForm(_ why: String) -> CrosstieError {
        let name = String(decoding: tag, as: UTF8.self)
        return CrosstieError(.foreign, "a foreign value of type \(name) has no plain form: \(why)")
    }
}

extension UnsafeRawBufferPointer {
    package static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
}
