import Testing

@testable import Crosstie

@Suite struct RequestCallbackListTests {
    private final class Request: Sendable {
        let callbacks = RequestCallbackList()
    }

    private static func cancellation(_ number: Int) -> RequestCallback {
        let context = CallbackContext(pointer: UnsafeMutableRawPointer(bitPattern: number), destroy: nil)
        return RequestCallback(.cancellation { _ in }, context)
    }

    private static func response() -> RequestCallback {
        RequestCallback(.response { _, _ in }, CallbackContext(pointer: nil, destroy: nil))
    }

    private func number(_ callback: RequestCallback) -> Int { Int(bitPattern: callback.context.pointer) }

    @Test func theNewestIsFirstUntilTheListIsClosed() {
        let request = Request()
        for number in 1...3 { expect(request.callbacks.add(Self.cancellation(number)) == .ok) }
        var seen: [Int] = []
        request.callbacks.closeForResponses { seen.append(number($0.pointee)) }
        expect(seen == [3, 2, 1])
        expect(request.callbacks.add(Self.response()) == .alreadyDone)
        expect(request.callbacks.add(Self.cancellation(4)) == .ok)
        seen = []
        request.callbacks.close { seen.append(number($0)) }
        expect(seen == [1, 2, 3, 4])
        expect(request.callbacks.add(Self.cancellation(5)) == .alreadyDone && request.callbacks.bits != 0)
        request.callbacks.reset()
        expect(request.callbacks.bits == 0)
    }

    @Test func eachKindIsCountedUpToItsLimit() {
        let request = Request()
        for number in 1...RequestCallback.maximumCount {
            expect(request.callbacks.add(Self.cancellation(number)) == .ok)
            expect(request.callbacks.add(Self.response()) == .ok)
        }
        expect(request.callbacks.add(Self.cancellation(65)) == .limitExceeded)
        expect(request.callbacks.add(Self.response()) == .limitExceeded)
        request.callbacks.close { _ in }
    }

    @Test func eachCallbackThatThreadsAddIsInTheListOnce() {
        let (request, added, seen, wrong) = (Request(), Counter(), Counter(), Counter())
        Crowd.run(4, rounds: 200) { _ in
            request.callbacks.reset()
        } _: { _, thread in
            if thread == 0 { return request.callbacks.close { _ in seen.add() } }
            for number in 1...5 where request.callbacks.add(Self.cancellation(number)) == .ok { added.add() }
        } check: { _ in
            if added.count != seen.count { wrong.add() }
        }
        expect(added.count == seen.count && wrong.count == 0)
    }
}
