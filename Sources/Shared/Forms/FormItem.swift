/// Questions under one heading, a screen's worth. When it is irrelevant, so is all in it.
package struct Section: Equatable, Sendable {
    package var name: String
    package var text: FormText
    package var relevant: FormExpression?
    package var items: [FormItem]

    package init(
        name: String, text: FormText, relevant: FormExpression? = nil, items: [FormItem]
    ) {
        self.name = name
        self.text = text
        self.relevant = relevant
        self.items = items
    }

    package init(
        name: String, title: String, relevant: FormExpression? = nil, questions: [Question]
    ) {
        self.init(
            name: name, text: FormText(title), relevant: relevant,
            items: questions.map { .question($0) })
    }

    /// In the form's default language.
    package var title: String { text.plain }

    /// Those of the inspection itself, in order; what repeats is left out.
    package var questions: [Question] { items.flatMap(\.questions) }
}

/// What stands in a section, in order.
package indirect enum FormItem: Equatable, Sendable {
    case question(Question)
    case group(Group)
    case repetition(Repetition)

    /// In order, those in groups too; what repeats is left out.
    package var questions: [Question] {
        switch self {
        case .question(let question): [question]
        case .group(let group): group.items.flatMap(\.questions)
        case .repetition: []
        }
    }

    /// Repeats in it, but not the repeats in those.
    package var repetitions: [Repetition] {
        switch self {
        case .question: []
        case .group(let group): group.items.flatMap(\.repetitions)
        case .repetition(let repetition): [repetition]
        }
    }
}

/// Questions that belong together. Its rules are those of the record's node at its path, and hold for
/// every question whose path goes through it, wherever it is shown.
package struct Group: Equatable, Sendable {
    /// Nil for one that only arranges what is shown.
    package var path: String?
    package var text: FormText?
    /// All on one screen.
    package var isFieldList = false
    package var items: [FormItem]

    package init(path: String? = nil, text: FormText? = nil, items: [FormItem]) {
        self.path = path
        self.text = text
        self.items = items
    }
}

/// Questions that are asked once for each of several things. Each time is a record of its own.
package struct Repetition: Equatable, Sendable {
    package var path: String
    package var text: FormText?
    /// How often; nil where the inspector adds and deletes.
    package var count: FormExpression?
    /// Whether the inspector may neither add nor delete.
    package var isFixed = false
    package var items: [FormItem]

    package init(
        path: String, text: FormText? = nil, count: FormExpression? = nil, items: [FormItem]
    ) {
        self.path = path
        self.text = text
        self.count = count
        self.items = items
    }

    /// Those of one row, in order; what repeats in it is left out.
    package var questions: [Question] { items.flatMap(\.questions) }
    package var repetitions: [Repetition] { items.flatMap(\.repetitions) }
}

/// What holds for a group or repeat of the record, and so for all that is in it.
package struct GroupRules: Equatable, Sendable {
    package var path: String
    package var relevant: FormExpression?
    package var readonly: FormExpression?

    package init(path: String, relevant: FormExpression?, readonly: FormExpression?) {
        self.path = path
        self.relevant = relevant
        self.readonly = readonly
    }
}

/// A value that is set when something happens.
package struct FormAction: Equatable, Sendable {
    package enum Event: String, Sendable, CaseIterable {
        /// The inspection is begun.
        case firstLoad = "odk-instance-first-load"
        /// It is opened.
        case load = "odk-instance-load"
        /// A row was added to the repeat that the target stands in.
        case newRepeat = "odk-new-repeat"
        /// The answer of `source` was changed by a person.
        case valueChanged = "xforms-value-changed"
        /// The inspection is completed.
        case finish = "walkdown-finish"
    }

    package enum Value: Equatable, Sendable {
        case expression(FormExpression)
        case literal(String)
        /// What the device or its user is, by ODK's name: `deviceid`, `username`; `instanceID`; and
        /// `position`, where the device is.
        case property(String)
    }

    package var events: Set<Event>
    package var target: String
    package var value: Value
    package var source: String?

    package init(events: Set<Event>, target: String, value: Value, source: String? = nil) {
        self.events = events
        self.target = target
        self.value = value
        self.source = source
    }
}
