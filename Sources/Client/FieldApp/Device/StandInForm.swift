import Coding
import Forms
import Phrases

/// Stands in for a form that is not on this device: what was entered with it can be read, and nothing
/// of it changed, until the form comes or the inspection is deleted.
struct StandInForm {
    let definition: FormDefinition
    /// What each question is called in the store, by its path here.
    let names: [String: String]

    /// - Parameter fields: answers and drafts, by name.
    /// - Throws: `FormError` where there are more than a form can have.
    init(titled title: String, fields: [String: FieldValue]) throws {
        var names: [String: String] = [:]
        let questions = fields.sorted { $0.key < $1.key }.enumerated().map { index, field in
            // A newer program's field may have a name that no question can have.
            let path = Question.mayBeCalled(field.key) ? field.key : "field_\(index + 1)"
            names[path] = field.key
            return Question(path: path, label: field.key, type: Self.type(of: field.value))
        }
        definition = try FormDefinition(
            id: "missing", version: "0", title: title,
            sections: [Section(name: "stored", title: say("As stored"), questions: questions)])
        self.names = names
    }

    private static func type(of value: FieldValue) -> QuestionType {
        switch value {
        case .integer, .double: .decimal
        case .null, .string: .text(multiline: true)
        }
    }
}
