/// An object that ends something when the context that holds it is destroyed, and not when its last reference is dropped.
class Finalizer {
    func end() {}
}
