/// The delivery of an asynchronous request: its dispatcher, priority, loop and progress listener, and an event's recipient.
package final class RequestDelivery {
    /// The dispatcher's name; empty for the component's, else the bus's default one.
    package var dispatcher = ""
    /// `CTIE_PRIORITY_…`.
    package var priority: Int32 = 0
    /// Where completion and progress are called; nil for a worker.
    package var loop: LoopQueue?
    package var listener: ProgressListener?
    /// Whether the request must go to a peer, and to which one: its name or number, or empty for any.
    package var isElsewhere = false
    package var peer = ""
    /// The peer that made the request, as a map, and the requests that it is nested in there.
    package var sender: RequestSender?
    /// The one registration that an event is for, whatever its names lead to; nil for a request that finds its own.
    let recipient: Handle?
    /// The one peer that an event is for.
    let hearer: AnyObject?
    /// Those that it shares with the other requests of a broadcast.
    let interceptors: SharedInterceptors?

    package init() { (recipient, hearer, interceptors) = (nil, nil, nil) }

    /// An event's, beside what its caller has said.
    init(_ own: RequestDelivery?, to recipient: Handle, _ interceptors: SharedInterceptors?) {
        (self.recipient, hearer, self.interceptors) = (recipient, nil, interceptors)
        take(own)
    }

    /// The same of an event that goes to a peer.
    init(_ own: RequestDelivery?, to hearer: AnyObject, _ interceptors: SharedInterceptors?) {
        (recipient, self.hearer, self.interceptors) = (nil, hearer, interceptors)
        take(own)
        isElsewhere = true
    }

    private func take(_ own: RequestDelivery?) {
        guard let own else { return }
        (dispatcher, priority) = (own.dispatcher, own.priority)
        (loop, listener, sender) = (own.loop, own.listener, own.sender)
    }
}
