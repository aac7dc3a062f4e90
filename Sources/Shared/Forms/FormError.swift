/// Why a form definition is refused.
///
/// A form comes from outside (an author's file, the server), so an error says *where* in the form
/// it stands: `sections[1].questions[3].merge`, never just *invalid form*.
package struct FormError: Error, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// A key is missing, or its value has another type than the format wants.
        case malformed
        /// The document says a format that this program does not know.
        case unknownFormat
        case unknownType
        case badName
        case duplicateName
        case unknownQuestion
        case badCondition
        case cycle
        case badLimits
        case badMergePolicy
        case badChoices
        case tooLarge
    }

    package let code: Code
    /// Path inside the document, such as `sections[0].questions[2].relevant`.
    package let place: String
    package let message: String

    package init(_ code: Code, at place: String, _ message: String) {
        self.code = code
        self.place = place
        self.message = message
    }

    package var description: String { place.isEmpty ? message : "\(place): \(message)" }
}
