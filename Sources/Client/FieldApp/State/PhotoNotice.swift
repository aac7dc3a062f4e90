package import Coding
package import Forms
import Phrases

/// What a form asks for and this version does not have yet is said, not passed over.
extension Question {
    /// Whether its form wants a picture of what failed.
    package func asksForPhoto(of value: FieldValue) -> Bool {
        photoOnFail && verdict(of: value) == .fail
    }

    package static var photoNotice: String {
        say("The form asks for a photo; this version takes none: describe it")
    }
}
