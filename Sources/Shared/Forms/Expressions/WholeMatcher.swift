/// Whether a whole text fits a regular expression, in time proportional to the length of both: the
/// pattern becomes an automaton whose states are all followed at once (Thompson 1968), so that
/// nothing is ever tried twice and no pattern can make it hang.
struct WholeMatcher {
    private let program: PatternProgram

    init(_ pattern: String) throws(PatternError) {
        program = try PatternProgram(try PatternParser.tree(of: pattern))
    }

    var states: Int { program.instructions.count }

    /// `fits` is nil when the match would cost more than `ExpressionLimits.matchSteps`; `steps` is what
    /// it has cost.
    func match(_ text: String) -> (fits: Bool?, steps: Int) {
        var run = PatternRun(program: program, scalars: Array(text.unicodeScalars))
        let fits = run.matchesWhole()
        return (fits, run.steps)
    }
}

/// The automaton as instructions.
struct PatternProgram {
    enum Instruction {
        case scalars(ScalarSet)
        /// Goes on at both places.
        case split(Int, Int)
        case jump(Int)
        case assertion(PatternTree.Assertion)
        /// Another part of the program has to match from here on, or must not; it ends with `match`.
        case ahead(start: Int, expected: Bool, next: Int)
        case match

        var isMatch: Bool {
            if case .match = self { true } else { false }
        }
    }

    private(set) var instructions: [Instruction] = []

    init(_ tree: PatternTree) throws(PatternError) {
        try add(tree)
        try append(.match)
    }

    private mutating func append(_ instruction: Instruction) throws(PatternError) {
        guard instructions.count < ExpressionLimits.patternStates else {
            throw PatternError(
                code: .tooLarge, character: 1,
                message: "it unfolds to more than \(ExpressionLimits.patternStates) states")
        }
        instructions.append(instruction)
    }

    private mutating func add(_ tree: PatternTree) throws(PatternError) {
        switch tree {
        case .empty: break
        case .scalars(let set): try append(.scalars(set))
        case .assertion(let assertion): try append(.assertion(assertion))
        case .sequence(let parts): for part in parts { try add(part) }
        case .choice(let branches): try addChoice(branches)
        case .repeated(let inner, let least, let most):
            try addTimes(inner, least)
            if let most {
                try addOptional(inner, times: most - least)
            } else {
                try addLoop(inner)
            }
        case .ahead(let inner, let expected):
            let index = instructions.count
            try append(.match)
            try add(inner)
            try append(.match)
            instructions[index] = .ahead(
                start: index + 1, expected: expected, next: instructions.count)
        }
    }

    /// What is empty is empty however often: a nest of empty repetitions must not count for ever.
    private mutating func addTimes(
        _ inner: PatternTree, _ times: Int
    ) throws(PatternError) {
        for _ in 0..<times {
            let before = instructions.count
            try add(inner)
            if instructions.count == before { return }
        }
    }

    private mutating func addChoice(_ branches: [PatternTree]) throws(PatternError) {
        var ends: [Int] = []
        for branch in branches.dropLast() {
            let split = instructions.count
            try append(.match)
            try add(branch)
            ends.append(instructions.count)
            try append(.match)
            instructions[split] = .split(split + 1, instructions.count)
        }
        if let last = branches.last { try add(last) }
        for end in ends { instructions[end] = .jump(instructions.count) }
    }

    private mutating func addLoop(_ inner: PatternTree) throws(PatternError) {
        let split = instructions.count
        try append(.match)
        try add(inner)
        try append(.jump(split))
        instructions[split] = .split(split + 1, instructions.count)
    }

    private mutating func addOptional(
        _ inner: PatternTree, times: Int
    ) throws(PatternError) {
        var splits: [Int] = []
        for _ in 0..<times {
            splits.append(instructions.count)
            try append(.match)
            try add(inner)
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
    }
}

/// One run of the automaton over one text.
private struct PatternRun {
    private let program: PatternProgram
    private let scalars: [Unicode.Scalar]
    private(set) var steps = 0

    init(program: PatternProgram, scalars: [Unicode.Scalar]) {
        self.program = program
        self.scalars = scalars
    }

    mutating func matchesWhole() -> Bool? {
        matches(from: 0, start: 0, whole: true)
    }

    /// Whether the part of the program that begins at `start` matches from a position: up to the end
    /// of the text when `whole`, otherwise as far as it likes.
    private mutating func matches(
        from position: Int, start: Int, whole: Bool
    ) -> Bool? {
        // Where a state has been reached, by the position at which it was; saves clearing a set.
        var seen = [Int](repeating: -1, count: program.instructions.count)
        var states: [Int] = []
        guard add(start, position, &states, &seen) else { return nil }
        var at = position
        while true {
            let isMatched = states.contains { program.instructions[$0].isMatch }
            if isMatched && (!whole || at == scalars.count) { return true }
            guard at < scalars.count, !states.isEmpty else { return false }
            var following: [Int] = []
            for state in states {
                guard case .scalars(let set) = program.instructions[state],
                    set.contains(scalars[at])
                else { continue }
                guard add(state + 1, at + 1, &following, &seen) else { return nil }
            }
            states = following
            at += 1
        }
    }

    /// Follows what costs no character. False when it has become too much.
    private mutating func add(
        _ first: Int, _ position: Int, _ states: inout [Int], _ seen: inout [Int]
    ) -> Bool {
        var waiting = [first]
        while let state = waiting.popLast() {
            guard seen[state] != position else { continue }
            seen[state] = position
            steps += 1
            guard steps <= ExpressionLimits.matchSteps else { return false }
            switch program.instructions[state] {
            case .jump(let next): waiting.append(next)
            case .split(let one, let other): waiting += [other, one]
            case .assertion(let assertion):
                if holds(assertion, position) { waiting.append(state + 1) }
            case .ahead(let start, let expected, let next):
                // The fresh set of states is paid for too.
                steps += program.instructions.count
                guard
                    let found = matches(
                        from: position, start: start, whole: false)
                else { return false }
                if found == expected { waiting.append(next) }
            case .scalars, .match: states.append(state)
            }
        }
        return true
    }

    private func holds(_ assertion: PatternTree.Assertion, _ position: Int) -> Bool {
        switch assertion {
        case .start: position == 0
        case .end: position == scalars.count
        case .wordBoundary: isBoundary(position)
        case .noWordBoundary: !isBoundary(position)
        }
    }

    private func isBoundary(_ position: Int) -> Bool {
        let before = position > 0 && scalars[position - 1].isWord
        let after = position < scalars.count && scalars[position].isWord
        return before != after
    }
}
