/// How much of what a form has.
package struct FormCounts: Equatable, Sendable {
    package var controls = 0
    package var groups = 0
    package var repeats = 0
    package var relevant = 0
    package var constraint = 0
    package var calculate = 0
    package var languages = 0
    /// Choices written in place and in the form's own lists.
    package var choices = 0

    package init() {}
}

extension XForm {
    package var counts: FormCounts {
        var counts = FormCounts()
        for bind in binds {
            counts.relevant += bind.relevant == nil ? 0 : 1
            counts.constraint += bind.constraint == nil ? 0 : 1
            counts.calculate += bind.calculate == nil ? 0 : 1
        }
        counts.languages = texts.languages.count
        for instance in secondary {
            if case .inside(let nodes) = instance.source {
                counts.choices += nodes.reduce(0) { $0 + $1.children.count }
            }
        }
        count(body, into: &counts)
        return counts
    }

    private func count(_ items: [BodyItem], into counts: inout FormCounts) {
        for item in items {
            switch item {
            case .group(let group):
                counts.groups += 1
                count(group.items, into: &counts)
            case .repeat(let item):
                counts.repeats += 1
                count(item.items, into: &counts)
            case .control(let control):
                counts.controls += 1
                counts.choices += control.choices.count
            }
        }
    }

    /// Every question, in order.
    package var controls: [BodyControl] { Self.controls(in: body) }

    private static func controls(in items: [BodyItem]) -> [BodyControl] {
        items.flatMap { item -> [BodyControl] in
            switch item {
            case .group(let group): controls(in: group.items)
            case .repeat(let item): controls(in: item.items)
            case .control(let control): [control]
            }
        }
    }
}
