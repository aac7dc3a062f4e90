import Forms
import Inspections
import Replication

/// The policies of the simulation's one form, and of records without a form.
struct FormPolicies {
    private var policies: [FieldName: MergePolicy] = [:]

    init() {
        guard let form = try? Ground.definition() else { return }
        for question in form.questions {
            policies[question.path] = Self.policy(question.merge)
        }
    }

    func policy(of name: FieldName, in table: String) -> MergePolicy {
        if BuiltInField.isBuiltIn(name) { return Self.policy(BuiltInField.mergePolicy(of: name)) }
        return table == RecordTable.inspection ? policies[name] ?? .ask : .ask
    }

    private static func policy(_ text: String) -> MergePolicy {
        (try? MergePolicy(parsing: text)) ?? .ask
    }
}
