import Synchronization

/// The text of a request, which lives as long as the request.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    package typealias Text = UnsafeRawBufferPointer

    /// The text of a parameter: the path's, else the query's.
    package func parameter(_ name: Text) -> Result<Text, Status> { parameter(name, in: pointee.pattern) }

    /// The same by the names of a pattern.
    func parameter(_ name: Text, in pattern: PatternInfo?) -> Result<Text, Status> {
        guard pointee.kind.hasURL else { return namedText(name) }
        if let position = pattern?.position(of: name), position < Int(pointee.captureCount) {
            return .success(pointee.parts.text(captures[position]))
        }
        let (count, first) = pointee.parts.query(name)
        guard count < 2 else { return .failure(.duplicateKey) }
        return count == 1 ? .success(pointee.parts.text(first)) : .failure(.notFound)
    }

    package func pathParameter(at position: Int) -> (name: Text, text: Text)? {
        guard let pattern = pointee.pattern, position >= 0,
            position < min(pattern.nameCount, Int(pointee.captureCount))
        else { return nil }
        return (pattern.name(position), pointee.parts.text(captures[position]))
    }

    package func queryPair(at position: Int) -> (key: Text, text: Text)? {
        guard pointee.kind.hasURL, position >= 0, position < URLLimits.pairs else { return nil }
        let slot = ThreadSlot.current
        let (request, rewrites) = (pointee.header.handle(.request).bits, pointee.extras?.rewrites ?? 0)
        var cursor = slot.pointee.queryCursor
        if !cursor.leads(to: position, of: request, rewrites) {
            cursor = QueryCursor(request: request, rewrites: rewrites)
        }
        var pairs = Query(of: pointee.parts, from: cursor.offset)
        for _ in cursor.position..<position { guard pairs.next() != nil else { return nil } }
        guard let pair = pairs.next() else { return nil }
        (cursor.position, cursor.offset) = (position + 1, pairs.offset)
        slot.pointee.queryCursor = cursor
        return (pointee.parts.text(pair.key), pointee.parts.text(pair.value))
    }

    /// A part of the URL in its normal form; nil for a query or fragment that is not there.
    package func urlPart(_ part: URLPart) -> Text? {
        guard pointee.kind.hasURL else { return nil }
        let parts = pointee.parts
        switch part {
        case .whole: return parts.text(parts.normalForm)
        case .scheme: return parts.text(parts.scheme)
        case .host: return parts.text(parts.host)
        case .path: return parts.text(parts.path)
        case .query: return parts.flags.contains(.query) ? parts.text(parts.query) : nil
        case .fragment: return parts.flags.contains(.fragment) ? parts.text(parts.fragment) : nil
        }
    }
}

/// Requests that cross the bounds of a process.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// The sender; nil for a request of this process.
    package var sender: RequestSender? { pointee.extras?.delivery?.sender }

    /// The name or number of the peer that the request must go to; empty for any.
    package var wantedPeer: String { pointee.extras?.delivery?.peer ?? "" }

    /// The one peer that an event's request is for.
    package var hearer: AnyObject? { pointee.extras?.delivery?.hearer }
}

/// Replacing a response on its way back, inside a callback that may do so.
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
        for before in [block.pointee.value, block.pointee.message] { block.pointee.kept.add(before) }
        block.pointee.plainValueForm.move(to: block.pointee.kept)
        block.pointee.value = value
        block.pointee.message = message
        return .ok
    }
}

/// Replacing the values that the stages behind an interceptor get.
extension RequestBlock {
    /// Sets the parameters. Takes `value`.
    package static func setParams(_ handle: Handle, _ value: ValueRef) throws(CrosstieError) {
        try change(handle, value, "parameters") { block, extras in
            guard extras.parameterChanges < RequestExtras.maximumChanges else { return false }
            extras.parameterChanges += 1
            block.pointee.kept.add(block.pointee.params)
            block.pointee.plainParamsForm.move(to: block.pointee.kept)
            block.pointee.params = value
            return true
        }
    }

    /// Sets the user info. Takes `value`.
    package static func setUserInfo(_ handle: Handle, _ value: ValueRef) throws(CrosstieError) {
        try change(handle, value, "user info") { block, extras in
            guard extras.userInfoChanges < RequestExtras.maximumChanges else { return false }
            extras.userInfoChanges += 1
            block.pointee.kept.add(block.pointee.userInfo)
            block.pointee.plainUserInfoForm.move(to: block.pointee.kept)
            block.pointee.userInfo = value
            return true
        }
    }

    /// Does that for the interceptor that has the request; `change` returns false if it was done too often.
    private static func change(
        _ handle: Handle, _ value: ValueRef, _ name: StaticString, _ change: (Pointer, RequestExtras) -> Bool
    ) throws(CrosstieError) {
        do throws(CrosstieError) {
            guard value.kind == .map || value.kind == .foreign || value.kind == .null else {
                let kindName = Value(borrowing: value).kindName
                throw CrosstieError(.wrongType, "the \(name) of a request must be a map, not \(kindName)")
            }
            let resolved = request(handle)
            guard case .live(let block) = resolved else {
                throw CrosstieError(resolved.status, "invalid or released request handle")
            }
            try block.withClaimedGate { () throws(CrosstieError) in
                guard change(block, block.extras) else {
                    throw .setTooOften(name, of: block)
                }
            }
        } catch {
            value.release()
            throw error
        }
    }
}

extension CrosstieError {
    fileprivate static func setTooOften(_ name: StaticString, of block: RequestBlock.Pointer) -> CrosstieError {
        let limit = "cannot be set more than \(RequestExtras.maximumChanges) times"
        return CrosstieError(.limitExceeded, "the \(name) of \(block.subject) \(limit)")
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    var mayChangeResponse: Bool { pointee.exposure.isLent(.change) }
}

/// Values as another language sees them: a foreign object crosses a call untouched, and only a reader that does not know
/// its language gets its plain form.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// The response's value; foreign values in it are replaced by their plain forms if all of them have one.
    package var plainValue: ValueRef { pointee.plainValueForm.of(pointee.value) }

    /// The same of the arguments that the caller gave beside the URL.
    package var plainUserInfo: ValueRef { pointee.plainUserInfoForm.of(pointee.userInfo) }

    /// The same of the parameters.
    package var plainParams: ValueRef { pointee.plainParamsForm.of(pointee.params) }

    /// The same as Swift code sees them: objects of Swift as they are.
    var swiftValue: ValueRef { pointee.value.isSwiftObject ? pointee.value : plainValue }

    package var swiftUserInfo: ValueRef { pointee.userInfo.isSwiftObject ? pointee.userInfo : plainUserInfo }

    package var swiftParams: ValueRef { pointee.params.isSwiftObject ? pointee.params : plainParams }

    /// Whether the request has plain forms, kept values, or had callbacks.
    @inline(__always)
    var hasKeptValues: Bool {
        pointee.plainValueForm.bits | pointee.plainUserInfoForm.bits | pointee.plainParamsForm.bits
            | pointee.kept.bits | pointee.callbacks.bits != 0
    }

    /// Releases all that, at the end of the request's life.
    func freeKeptValues() {
        pointee.callbacks.reset()
        pointee.kept.releaseAll()
        pointee.plainValueForm.release()
        pointee.plainUserInfoForm.release()
        pointee.plainParamsForm.release()
    }

    /// The text of a parameter that the caller has given by name.
    func namedText(_ name: Text) -> Result<Text, Status> {
        guard plainParams.kind == .map, let value = plainParams.value(for: name) else { return .failure(.notFound) }
        return value.stringBytes.map { .success($0) } ?? .failure(.wrongType)
    }
}
