/// The interceptors of one route, handler or request, in their order. They live as long as what they belong to, and
/// need no registration of their own: while one runs, what it belongs to is known to run.
///
/// It is plain memory, for readers that may not count references.
package struct InterceptorChain {
    private let items: UnsafeMutableBufferPointer<Interceptor>

    /// The most interceptors before one handler.
    package static var maximumCount: Int { 64 }

    /// Nil for none.
    package init?(_ interceptors: [Interceptor]) {
        guard !interceptors.isEmpty else { return nil }
        items = .allocate(capacity: interceptors.count)
        _ = items.initialize(from: interceptors)
    }

    package var count: Int { items.count }

    /// `position` must be below ``count``.
    package subscript(position: Int) -> Interceptor { items[position] }

    /// Frees the chain alone: its maker still has the interceptors.
    func forget() { items.deallocate() }

    /// Tells the host that they are not needed any more. Nobody may be running one.
    package func destroy() {
        let contexts = items.map(\.context)
        forget()
        for context in contexts { context.destroy() }
    }
}

/// The interceptors of several requests; they end with the last of these.
final class SharedInterceptors {
    let chain: InterceptorChain

    init(_ chain: InterceptorChain) { self.chain = chain }

    deinit { chain.destroy() }
}
