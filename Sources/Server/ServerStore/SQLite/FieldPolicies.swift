internal import Forms
internal import Inspections
internal import Replication

/// The merge policy of each field of the records of one form, rows of repeats included, read once.
struct FieldPolicies {
    let form: FormDefinition?
    private let policies: [FieldName: MergePolicy]
    private var ofOthers: [FieldName: MergePolicy] = [:]
    private static let builtIn = Dictionary(
        uniqueKeysWithValues: RecordModel.current.builtInFields.map {
            ($0, policy(BuiltInField.mergePolicy(of: $0)))
        })

    /// Sites, assets, findings and what else has no questions.
    static let withoutForm = FieldPolicies(form: nil)

    init(form: FormDefinition?) {
        self.form = form
        let questions = form?.allQuestions ?? []
        policies = Dictionary(
            questions.map { ($0.path, FieldPolicies.policy($0.merge)) }
        ) { first, _ in first }
    }

    func policy(of field: FieldName) -> MergePolicy {
        // Of what a newer device sent nobody here knows how it merges: a person decides.
        FieldPolicies.builtIn[field] ?? policies[field] ?? ofOthers[field] ?? .ask
    }

    /// Takes the policy of a question that only another version of the form has.
    mutating func adopt(_ field: FieldName, from other: FieldPolicies) {
        ofOthers[field] = other.policies[field]
    }

    /// A form with a policy that is unknown here was published by a newer server: a person decides
    /// then, which loses nothing.
    private static func policy(_ text: String) -> MergePolicy {
        do throws(ReplicationError) {
            return try MergePolicy(parsing: text)
        } catch {
            return .ask
        }
    }
}

extension MergePolicy {
    /// Where no inspector waits for the answer a supervisor decides.
    var supervised: MergePolicy { self == .ask ? .quarantine : self }
}
