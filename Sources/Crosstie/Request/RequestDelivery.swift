/// The delivery of an asynchronous request: its dispatcher, priority, loop and progress listener, and an event's recipient.
package final class RequestDelivery {
    /// The dispatcher's name; empty for the component's, else the bus's default one.
    package var dispatcher = ""
    /// `CTIE_PRIORITY_…`.
    package var priority: Int32 = 0
    /// Where completion and progress are called; nil for a worker.
    package var loop: LoopQueue?
    package var listener: ProgressListener?
    /// Whether a call must go to a peer, and to which one: its name or number, or empty for any.
    package var isElsewhere = false
    package var peer = ""
    /// The peer that made the request, as a map, and the requests that it is nested in there.
    package var sender: RequestSender?
    /// The one registration that an event is for, whatever its names lead to; nil for a request that finds its own.
    let recipient: Handle?
    /// Those that it shares with the other requests of a broadcast.
    let interceptors: SharedInterceptors?

    package init() { (recipient, interceptors) = (nil, nil) }

    /// An event's, beside what its caller has said.
    init(_ own: RequestDelivery?, to recipient: Handle, _ interceptors: SharedInterceptors?) {
        (self.recipient, self.interceptors) = (recipient, interceptors)
        guard let own else { return }
        (dispatcher, priority) = (own.dispatcher, own.priority)
        (loop, listener) = (own.loop, own.listener)
    }
}
