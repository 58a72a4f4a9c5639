/// The interceptors of several requests; they end with the last of these.
final class SharedInterceptors {
    let chain: InterceptorChain

    init(_ chain: InterceptorChain) { self.chain = chain }

    deinit { chain.destroy() }
}
