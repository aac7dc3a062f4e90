/// Every figure by name, in the order in which they are measured.
enum Figures {
    typealias Measurement = @Sendable () throws -> Figure

    static let all: [(name: String, measure: Measurement)] = [
        ("edit_commit", { try EditCommit.measure() }),
        ("pull_apply", { try PullApply.measure() }),
        ("edit_during_pull", { try EditDuringPull.measure() }),
        ("single_change", { try SingleChange.measure() }),
        ("push", { try PushRate.measure() }),
        ("drain", { try Drain.measure() }),
        ("storm", { try Storm.measure() }),
        ("form_eval", { try FormEval.measure() }),
        ("form_rows", { try FormRows.measure() }),
        ("form_store", { try FormStore.measure() }),
        ("form_answer", { try FormBench.measureAnswer() }),
        ("long_list", { try FormBench.measureList() }),
        ("key_to_paint", { try KeyToPaint.measure() }),
        ("first_frame", { try FirstFrame.measure() }),
    ]
}
