/// The owner of several registrations, which share its interceptors and its dispatcher: a component, of its actions.
package class RegistrationOwner: @unchecked Sendable {
    /// They end with the owner, after the last of its registrations.
    let interceptors: InterceptorChain?
    /// The index of the dispatcher; set before anybody can find it.
    final var dispatcher: UInt8 = 0

    init(_ interceptors: InterceptorChain?) { self.interceptors = interceptors }
}
