/// One of a bus's interceptors.
package struct InterceptorEntry {
    /// Its position, then its age. A request keeps the key of the last one that it has seen, so that it misses none and sees
    /// none twice while others come and go.
    let key: Int64
    package let registration: UInt32
    let scope: InterceptorScope

    init(position: Int32, age: UInt32, registration: UInt32, scope: InterceptorScope = InterceptorScope()) {
        key = Int64(position) << 32 | Int64(age)
        self.registration = registration
        self.scope = scope
    }
}
