// The names that statuses had before, for code of this package that has not followed yet. No public name.
extension Status {
    package static var invalid: Status { invalidArgument }
    package static var handle: Status { invalidHandle }
    package static var utf8: Status { invalidUTF8 }
    package static var limit: Status { limitExceeded }
    package static var noMemory: Status { outOfMemory }
    package static var type: Status { wrongType }
    package static var abi: Status { incompatibleABI }
    package static var url: Status { invalidURL }
    package static var path: Status { unroutablePath }
    package static var pattern: Status { invalidPattern }
    package static var param: Status { invalidParameter }
    package static var duplicate: Status { duplicateKey }
    package static var already: Status { alreadyDone }
    package static var timeout: Status { timedOut }
    package static var handler: Status { handlerFailed }
    package static var depth: Status { nestedTooDeeply }
    package static var format: Status { invalidFormat }
    package static var foreign: Status { foreignValue }
    package static var identifier: Status { invalidIdentifier }
    package static var unsafe: Status { unsafeFile }
    package static var corrupt: Status { corruptData }
    package static var version: Status { incompatibleVersion }
    package static var system: Status { systemFailure }
    package static var notComponent: Status { notAComponent }
    package static var full: Status { queueFull }
    package static var unknown: Status { unknownAnswer }
}
