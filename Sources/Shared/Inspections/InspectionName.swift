package import Coding
package import Forms

/// What an inspection is called in lists, questions and reports.
package enum InspectionName {
    /// Its own title, else what the form makes of the answers, else the answer by which it names its
    /// records, else the asset's tag, else form and due day, else form and beginning. Never blank: a
    /// record without a name could be neither found nor confirmed (a public report tells of saves that
    /// failed for it).
    /// - Parameters:
    ///   - instanceName: what the form's own rule comes to.
    ///   - startedAt: when it was made, for people to read, as `2026-03-14 09:30`.
    package static func text(
        title: String? = nil, instanceName: String? = nil, form: FormDefinition?, formID: String,
        answers: [String: FieldValue] = [:], asset: Asset? = nil, due: String? = nil,
        startedAt: String? = nil, id: String
    ) -> String {
        let named = form?.recordName.flatMap { answers[$0] }?.plainText
        if let name = firstWithText(title, instanceName, named, asset?.name) {
            return ShownText.clean(name)
        }
        let formName = firstWithText(form?.title, formID) ?? "Inspection"
        let when = firstWithText(due, startedAt) ?? shortID(id)
        return ShownText.clean(formName + " " + when)
    }
}
