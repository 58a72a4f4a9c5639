/// A host's own object as a value: of this program, or of another language in this process.
///
/// ```swift
/// bus.call("images", "show", ["image": .foreign(try ForeignObject(image))])
/// value["image"]?.foreignValue?.object(as: Image.self)   // the very object
/// ```
public final class ForeignObject: Sendable {
    package let ref: ValueRef

    package init(borrowing ref: ValueRef) { self.ref = ref.retained() }

    /// Holds a Swift object.
    ///
    /// - Parameter object: retained; when it is ``ValueConvertible``, other languages can look inside and messages
    ///   can hold it.
    /// - Throws: `limitExceeded` when the process has no room for one more type of foreign objects; `outOfMemory`.
    public init(_ object: any AnyObject & Sendable) throws(CrosstieError) {
        ref = try .swiftObject(object)
    }

    deinit { ref.release() }

    /// The Swift object; nil when it is of another type or another language.
    public func object<Object: AnyObject>(as type: Object.Type) -> Object? { ref.swiftObject(as: type) }

    /// The name of the object's type as its host registered it: "swift", "python", …
    public var tag: String { ref.foreignTag.map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// The object's content, without foreign values.
    ///
    /// - Throws: `foreignValue` with the path of an object without a plain form; `limitExceeded`, `outOfMemory`.
    public func materialized() throws(CrosstieError) -> Value {
        let plain = try ref.materialized()
        defer { plain.release() }
        return Value(borrowing: plain)
    }
}

extension ValueRef {
    /// A value with an object of this language, which it retains.
    static func swiftObject(_ object: any AnyObject & Sendable) throws(CrosstieError) -> ValueRef {
        try .foreign(type: try swiftType.get(), object: Unmanaged.passUnretained(object).toOpaque())
    }

    /// The object; nil when it is of another type or another language, and for another kind.
    func swiftObject<Object: AnyObject>(as type: Object.Type) -> Object? {
        guard let foreign, isSwiftObject else { return nil }
        return Unmanaged<AnyObject>.fromOpaque(foreign.object).takeUnretainedValue() as? Object
    }

    /// Whether this is an object of this language, which Swift code looks into as it is.
    package var isSwiftObject: Bool {
        guard let foreign, case .success(foreign.type) = swiftType else { return false }
        return true
    }
}

extension ForeignObject: Hashable {
    public static func == (left: ForeignObject, right: ForeignObject) -> Bool { left.ref.isEqual(to: right.ref) }

    public func hash(into hasher: inout Hasher) { hasher.combine(ref.foreign?.object) }
}

/// The number of the type that all Swift objects share.
private let swiftType = Result { () throws(CrosstieError) in
    let tag: StaticString = "swift"
    return try ForeignTypes.register(
        ForeignHooks(
            tag: UnsafeRawBufferPointer(start: tag.utf8Start, count: tag.utf8CodeUnitCount),
            retain: { _ = Unmanaged<AnyObject>.fromOpaque($0).retain() },
            release: { Unmanaged<AnyObject>.fromOpaque($0).release() },
            materialize: { object, out in materializeSwift(object, out).rawValue }))
}

private func materializeSwift(
    _ object: UnsafeMutableRawPointer, _ out: UnsafeMutablePointer<OpaquePointer?>
) -> Status {
    let object = Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()
    if object is Descriptor {
        out.pointee = try? Value.string("a descriptor goes to joined buses alone").makeRef().pointer
        return .foreignValue
    }
    guard let convertible = object as? any ValueConvertible else { return .wrongType }
    do {
        out.pointee = try convertible.makeValue().makeRef().pointer
        return .ok
    } catch {
        return (error as? CrosstieError)?.status ?? .handlerFailed
    }
}
