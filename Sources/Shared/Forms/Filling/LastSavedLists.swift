extension FillingSurroundings {
    /// What a form finds of the inspection by it that was saved last on this device.
    /// - Parameter last: its answers, as they are stored; nil where there is none. They may be of another
    ///   version, and are found as this one has them.
    package mutating func remember(_ last: FormAnswers?, by form: FormDefinition) {
        let lists = form.lastSavedLists
        guard let last, !lists.isEmpty else { return }
        var looking = self
        looking.calculates = .none
        looking.judges = .answers
        let record = FormFilling(form, answers: last, in: looking).submission
        for list in lists { instances[list] = record }
    }
}
