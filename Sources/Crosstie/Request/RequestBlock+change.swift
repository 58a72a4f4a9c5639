import Synchronization

/// Changing a response on its way back, inside a callback that may do so.
extension RequestBlock {
    /// Makes a response one of success. Takes `value`.
    package static func replaceResponse(_ handle: Handle, _ value: ValueRef) -> Status {
        change(handle, .ok, code: Status.ok.code, value, .null)
    }

    /// Makes a response one of failure. Takes `value`.
    package static func failResponse(
        _ handle: Handle, code: Int32, value: ValueRef, message: UnsafeRawBufferPointer
    ) -> Status {
        do throws(CrosstieError) {
            let text = message.isEmpty ? ValueRef.null : try ValueRef.string(message)
            return change(handle, .handlerFailed, code: code, value, text)
        } catch {
            value.release()
            return error.status
        }
    }

    /// Makes a response one that says no more than a status of the library's.
    static func refuseResponse(_ handle: Handle, _ status: Status) -> Status {
        change(handle, status, code: status.code, .null, .null)
    }

    private static func change(
        _ handle: Handle, _ status: Status, code: Int32, _ value: ValueRef, _ message: ValueRef
    ) -> Status {
        let resolved = response(handle)
        guard case .live(let block) = resolved, block.mayChangeResponse, ThreadSlot.current.isHandling(block) else {
            value.release()
            message.release()
            return resolved.status == .ok ? .invalidArgument : resolved.status
        }
        block.pointee.status = status
        block.pointee.code = code
        for before in [block.pointee.value, block.pointee.message] { block.keep(before) }
        block.keep(plain: block.pointee.plainValue.exchange(0, ordering: .acquiringAndReleasing))
        block.pointee.value = value
        block.pointee.message = message
        return .ok
    }
}

/// Changing what the stages behind an interceptor are given.
extension RequestBlock {
    /// Sets the parameters. Takes `value`.
    package static func setParameters(_ handle: Handle, _ value: ValueRef) -> Status {
        change(handle, value) { block, detour in
            guard detour.parameterChanges < RequestDetour.maximumChanges else { return false }
            detour.parameterChanges += 1
            block.keep(block.pointee.params)
            block.keep(plain: block.pointee.plainParams.exchange(0, ordering: .acquiringAndReleasing))
            block.pointee.params = value
            return true
        }
    }

    /// Sets what the caller gave beside the parameters. Takes `value`.
    package static func setUserInfo(_ handle: Handle, _ value: ValueRef) -> Status {
        change(handle, value) { block, detour in
            guard detour.userInfoChanges < RequestDetour.maximumChanges else { return false }
            detour.userInfoChanges += 1
            block.keep(block.pointee.userInfo)
            block.keep(plain: block.pointee.plainUserInfo.exchange(0, ordering: .acquiringAndReleasing))
            block.pointee.userInfo = value
            return true
        }
    }

    /// Does that for the interceptor that has the request; `change` is false when it was done too often.
    private static func change(
        _ handle: Handle, _ value: ValueRef, _ change: (Pointer, RequestDetour) -> Bool
    ) -> Status {
        do throws(CrosstieError) {
            guard value.kind == .map || value.kind == .foreign || value.kind == .null else {
                throw CrosstieError(.wrongType, "params and user_info are a map")
            }
            let resolved = request(handle)
            guard case .live(let block) = resolved else {
                throw CrosstieError(resolved.status, "invalid or released request handle")
            }
            try block.whilePassing { () throws(CrosstieError) in
                guard change(block, block.detour) else {
                    throw CrosstieError(.limitExceeded, "set more than \(RequestDetour.maximumChanges) times")
                }
            }
            return .ok
        } catch {
            value.release()
            return error.status
        }
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    var mayChangeResponse: Bool { pointee.views.load(ordering: .relaxed) & RequestBlock.View.change != 0 }

    /// Takes a value that somebody may have borrowed: it lives as long as the request.
    func keep(_ value: ValueRef, explaining status: Status = .ok) {
        guard value.bits != ValueRef.null.bits else { return }
        let item = UnsafeMutablePointer<KeptValue>.allocate(capacity: 1)
        var seen = pointee.kept.load(ordering: .relaxed)
        while true {
            item.initialize(
                to: KeptValue(
                    value: value, explained: status, next: UnsafeMutablePointer<KeptValue>(bitPattern: seen)))
            let (won, now) = pointee.kept.compareExchange(
                expected: seen, desired: UInt(bitPattern: item), ordering: .acquiringAndReleasing)
            if won { return }
            seen = now
        }
    }

    /// The same by the word of a plain form; 0 for none.
    fileprivate func keep(plain word: UInt) {
        if word != 0 { keep(ValueRef(bits: word)) }
    }
}
