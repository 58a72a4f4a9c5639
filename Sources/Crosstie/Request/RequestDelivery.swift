/// The delivery of an asynchronous request: its dispatcher, priority, loop and progress listener.
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
    /// The one peer that an event is for.
    let hearer: AnyObject?
    /// The interceptors that it shares with the other requests of a broadcast.
    let interceptors: SharedInterceptors?

    package init() { (hearer, interceptors) = (nil, nil) }

    /// The delivery of one of several requests, as their caller has named it, with the interceptors that they share.
    ///
    /// - Parameter hearer: the one peer that it goes to; nil for a request that stays here.
    init(_ own: RequestDelivery?, _ interceptors: SharedInterceptors?, to hearer: AnyObject? = nil) {
        (self.hearer, self.interceptors) = (hearer, interceptors)
        isElsewhere = hearer != nil
        guard let own else { return }
        (dispatcher, priority) = (own.dispatcher, own.priority)
        (loop, listener, sender) = (own.loop, own.listener, own.sender)
    }
}
