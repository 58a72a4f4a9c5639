/// The delivery of an asynchronous request: its dispatcher, priority, loop and progress listener.
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
    /// The interceptors that it shares with the other requests of a broadcast.
    let interceptors: SharedInterceptors?

    package init() { interceptors = nil }

    /// The delivery of one of several requests, as their caller has named it, with the interceptors that they share.
    init(_ own: RequestDelivery?, _ interceptors: SharedInterceptors?) {
        self.interceptors = interceptors
        guard let own else { return }
        (dispatcher, priority) = (own.dispatcher, own.priority)
        (loop, listener) = (own.loop, own.listener)
    }
}
