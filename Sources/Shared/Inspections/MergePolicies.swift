package import Forms

/// The merge policy of every field of an inspection and of its rows: built-in ones as this module
/// says, answers as the form says.
extension FormDefinition {
    /// A field that the form does not know, as from a newer version of it, asks a person: the
    /// policy that never loses a value.
    package func mergePolicy(ofField field: String) -> String {
        if BuiltInField.isBuiltIn(field) { return BuiltInField.mergePolicy(of: field) }
        return index(of: field).map { allQuestions[$0].merge } ?? "ask"
    }
}
