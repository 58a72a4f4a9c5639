import CCrosstie
import Crosstie

@_cdecl("ctie_value_descriptor") @implementation
public func ctie_value_descriptor(_ file: Int32) -> OpaquePointer? {
    guard let descriptor = try? Descriptor(duplicating: file) else { return nil }
    return (try? ValueRef.descriptor(descriptor))?.pointer
}

@_cdecl("ctie_value_get_descriptor") @implementation
public func ctie_value_get_descriptor(_ value: OpaquePointer?, _ out: UnsafeMutablePointer<Int32>?) -> ctie_status {
    read(value, out) { $0.descriptor?.file }
}
