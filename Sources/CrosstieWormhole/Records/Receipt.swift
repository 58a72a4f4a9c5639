/// The result of a change.
package struct Receipt {
    /// The number of its first message.
    package let sequence: UInt64
    let notified: MemberMask
}
