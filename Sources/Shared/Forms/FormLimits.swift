/// What a form may hold at most. A form is untrusted, and the largest of 299 real ones has 726
/// controls and a list of 11,800 choices, so these refuse nothing that people make.
package enum FormLimits {
    package static let sections = 500
    /// Groups and repeats within each other.
    package static let depth = 60
    package static let questions = 5_000
    package static let choicesOfOneQuestion = 60_000
    package static let choicesInAll = 200_000
    /// Bytes of UTF-8 in an id, a version, a name or a path.
    package static let nameBytes = 200
    /// Bytes of UTF-8 in a title, a label, a hint or a message.
    package static let textBytes = 8_192
    /// Pieces of one text, between which answers are put in.
    package static let textParts = 200
    /// Rows of one list to look things up in.
    package static let instanceNodes = 200_000
    /// Steps of all expressions together that one change to the answers may take, as
    /// `ExpressionLimits.steps` counts them, but children of other names for next to nothing: twice
    /// what 400 rows need that each have a running sum and look for their like among the others. A
    /// count of rows that needs more is refused; elsewhere what is left over keeps the value that it
    /// had, and `FormFilling.faults` says so.
    package static let stepsOfOneChange = 10_000_000
    /// Conditions nest no deeper, which bounds the recursion that reads and evaluates them and keeps
    /// the document within the depth that the wire allows.
    package static let conditionDepth = 10
    package static let conditionTerms = 256
}
