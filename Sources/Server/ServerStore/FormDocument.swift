/// A form's definition as it goes to devices.
package struct FormDocument: Sendable, Equatable {
    /// JSON, the same bytes for equal definitions.
    package let definition: [UInt8]
    /// Changes when, and only when, the bytes do.
    package let etag: String
}
