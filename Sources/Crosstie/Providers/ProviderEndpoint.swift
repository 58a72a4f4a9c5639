/// An endpoint of a provider.
package struct ProviderEndpoint {
    package let endpoint: String
    /// The kinds of message that go there; empty for those that are built in.
    package let kinds: [String]

    package init(endpoint: String, kinds: [String]) {
        self.endpoint = endpoint
        self.kinds = kinds
    }
}
