import Coding
import Forms

extension FormCompiler {
    mutating func fillChoices(
        _ question: inout Question, from control: BodyControl, verdicts: String?
    ) throws(FormImportError) {
        if let itemset = control.itemset {
            try fill(&question, from: itemset, at: control.place)
        } else {
            question.list = ChoiceList(try choices(control))
        }
        if let verdicts { try mark(&question, verdicts, at: control.place) }
        if question.type == .choice, !question.choices.isEmpty,
            question.choices.allSatisfy({ $0.verdict != nil }), question.choices.count <= 9
        {
            question.type = .verdict
        }
    }

    private mutating func choices(_ control: BodyControl) throws(FormImportError) -> [Choice] {
        var choices: [Choice] = []
        var names: Set<String> = []
        for item in control.choices {
            let isList = control.kind != .select1
            guard let name = usable(item.value, isList, &names, at: item.place) else { continue }
            choices.append(
                Choice(
                    name: name, text: try text(item.label) ?? FormText(item.value),
                    verdict: try verdict(item.own["verdict"], at: item.place)))
        }
        return choices
    }

    /// Where several can be chosen, a name with a blank in it could not stand in their list; and a
    /// name that is there twice could not be told apart. Reference converters refuse both, older forms
    /// have them.
    private mutating func usable(
        _ name: String, _ isList: Bool, _ names: inout Set<String>, at place: FormPlace
    ) -> String? {
        guard !name.isEmpty else {
            warnings.unsupported("a choice without a name", at: place)
            return nil
        }
        var name = name
        if isList, name.contains(where: \.isWhitespace) {
            warnings.note(
                "a choice's name has blanks; they are stored as '_'", kind: "choice with blanks",
                at: place)
            name = String(name.map { $0.isWhitespace ? "_" : $0 })
        }
        guard names.insert(name).inserted else {
            warnings.note(
                "a choice is there twice; the first is kept", kind: "choice twice", at: place)
            return nil
        }
        return name
    }

    private mutating func fill(
        _ question: inout Question, from itemset: Itemset, at place: FormPlace
    ) throws(FormImportError) {
        let nodeset = try expression(itemset.nodeset, "choice filter")
        guard let instance = itemset.instance else {
            guard case .child(let label) = itemset.label else {
                warnings.unsupported("labels of answers by key", at: place)
                return
            }
            question.filter = nodeset.map {
                ChoiceFilter(
                    nodeset: $0, valueName: Self.local(itemset.valueName),
                    labelName: Self.local(label))
            }
            return
        }
        question.list = try list(instance, itemset, question.type.isChoices, at: place)
        guard !itemset.predicates.isEmpty || itemset.isRandomized || question.choices.isEmpty
        else { return }
        question.filter = nodeset.map {
            ChoiceFilter(nodeset: $0, valueName: Self.local(itemset.valueName))
        }
    }

    private static func local(_ name: String) -> String {
        name.split(separator: ":").last.map(String.init) ?? name
    }

    /// One list for all questions that offer it.
    private mutating func list(
        _ instance: String, _ itemset: Itemset, _ isList: Bool, at place: FormPlace
    ) throws(FormImportError) -> ChoiceList {
        let key = "\(isList) \(instance) \(itemset.path) \(itemset.valueName) \(itemset.label)"
        if let list = lists[key] { return list }
        var choices: [Choice] = []
        var names: Set<String> = []
        for node in rows(of: instance, itemset.path) {
            let written = node.text(itemset.valueName)
            guard let name = usable(written, isList, &names, at: place) else { continue }
            let text: FormText?
            switch itemset.label {
            case .child(let child): text = FormText(Markup.reduced(node.text(child)))
            case .text(let child): text = try self.text(ofKey: node.text(child))
            }
            let shown = text.flatMap { $0.isBlank ? nil : $0 }
            choices.append(
                Choice(
                    name: name, text: shown ?? FormText(name),
                    verdict: try verdict(node.verdict, at: place)))
        }
        let list = choices.isEmpty ? ChoiceList.none : ChoiceList(choices)
        lists[key] = list
        return list
    }

    /// The labels of a list of the form, as texts that are ready to be taken.
    mutating func comments(
        _ name: String?, at place: FormPlace
    ) throws(FormImportError) -> ChoiceList {
        guard let name = name?.trimmed, !name.isEmpty else { return .none }
        let key = "comments \(name)"
        if let list = lists[key] { return list }
        guard let items = parts.lists[name]?.children, !items.isEmpty else {
            throw FormImportError(
                place, "walkdown:comments names \(name), and the form has no such list")
        }
        var choices: [Choice] = []
        var names: Set<String> = []
        for item in items {
            let itext = item.text("itextId")
            let text =
                itext.isEmpty
                ? FormText(Markup.reduced(item.text("label"))) : try self.text(ofKey: itext)
            guard let text, !text.isBlank,
                let name = usable(item.text("name"), false, &names, at: place)
            else { continue }
            choices.append(Choice(name: name, text: text))
        }
        let list = ChoiceList(choices)
        lists[key] = list
        return list
    }

    /// The nodes at `/root/item` of an instance.
    private func rows(of instance: String, _ path: String) -> [NodeContent] {
        guard let root = parts.lists[instance] else { return [] }
        var names = path.split(separator: "/").map { Self.local(String($0)) }[...]
        guard names.popFirst() == root.name else { return [] }
        return names.reduce([root]) { nodes, name in
            nodes.flatMap { node in node.children.filter { $0.name == name } }
        }
    }

    private func verdict(
        _ word: String?, at place: FormPlace
    ) throws(FormImportError) -> Verdict? {
        guard let word = word?.trimmed, !word.isEmpty else { return nil }
        guard let verdict = Verdict(word: word) else {
            throw FormImportError(
                place, "walkdown:verdict is pass, fail, notApplicable or notObserved")
        }
        return verdict
    }

    /// `pass=IN fail=OUT,BAD notApplicable=NA`
    private func mark(
        _ question: inout Question, _ verdicts: String, at place: FormPlace
    ) throws(FormImportError) {
        var byName: [String: Verdict] = [:]
        for word in verdicts.split(whereSeparator: \.isWhitespace) {
            let sides = word.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, let verdict = Verdict(word: String(sides[0])) else {
                throw FormImportError(
                    place, "walkdown:verdict is written pass=NAME fail=NAME,NAME")
            }
            for name in sides[1].split(separator: ",") {
                guard question.choice(named: String(name)) != nil else {
                    throw FormImportError(
                        place, "walkdown:verdict names \(name), which is not offered")
                }
                byName[String(name)] = verdict
            }
        }
        question.list = ChoiceList(
            question.choices.map { choice in
                var choice = choice
                choice.verdict = byName[choice.name] ?? choice.verdict
                return choice
            })
    }
}

extension Verdict {
    /// As authors write it: `pass`, `not_applicable`, `N/A`, `notObserved`.
    fileprivate init?(word: String) {
        switch word.lowercased().filter(\.isLetter) {
        case "pass": self = .pass
        case "fail": self = .fail
        case "notapplicable", "na": self = .notApplicable
        case "notobserved", "no": self = .notObserved
        default: return nil
        }
    }
}

extension NodeContent {
    fileprivate func text(_ child: String) -> String {
        let name = child.split(separator: ":").last.map(String.init) ?? child
        return children.first { $0.name == name }?.text ?? ""
    }

    /// A column `walkdown::verdict` of the choices.
    fileprivate var verdict: String? {
        attributes.first { $0.name == "verdict" }?.value
            ?? children.first { $0.name == "verdict" }?.text
    }
}
