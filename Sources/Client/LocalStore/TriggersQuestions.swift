/// What the form asks of an answer, held by the database too.
extension Triggers {
    /// Types, choices and hard limits of the form and version that the inspection began with. A
    /// form that is not here yet asks nothing; one that is here knows all of its questions, and which
    /// of them stand in a row.
    ///
    /// What the form works out by itself is of the type that its author's expression makes it: to
    /// refuse it would be to refuse the inspector's answer that it follows from.
    static let questionRules = """
            SELECT raise(ABORT, 'walkdown:question')
            WHERE substr(NEW.name, 1, 1) <> '@'
                AND EXISTS (
                    SELECT 1 FROM question
                    WHERE form = \(field("@form")) AND version = \(field("@formVersion")))
                AND NOT EXISTS (
                    SELECT 1 FROM question
                    WHERE form = \(field("@form")) AND version = \(field("@formVersion"))
                        AND name = NEW.name AND repetition IS \(field("@repeat")));
            SELECT CASE
                WHEN type = 'note' OR NOT (CASE type
                    WHEN 'integer' THEN typeof(NEW.value) IN ('integer', 'real')
                        AND NEW.value = CAST(NEW.value AS INTEGER)
                    WHEN 'decimal' THEN typeof(NEW.value) IN ('integer', 'real')
                    WHEN 'date' THEN \(isDay("NEW.value"))
                    ELSE typeof(NEW.value) = 'text' END)
                    THEN raise(ABORT, 'walkdown:type')
                WHEN type IN ('time', 'dateTime', 'point', 'trace', 'shape', 'acknowledge')
                    AND walkdown_misfits(type, NEW.value)
                    THEN raise(ABORT, 'walkdown:type')
                WHEN type IN ('choice', 'verdict') AND \(hasList) AND NOT EXISTS (
                    SELECT 1 FROM question_choice AS choice
                    WHERE \(isOffered) AND choice.name = NEW.value)
                    THEN raise(ABORT, 'walkdown:choice')
                WHEN type IN ('choices', 'ranking') AND \(hasList)
                    AND \(namesInList) <> \(namesInValue)
                    THEN raise(ABORT, 'walkdown:choice')
                WHEN type IN ('integer', 'decimal')
                    AND (NEW.value < hard_min OR NEW.value > hard_max)
                    THEN raise(ABORT, 'walkdown:limit')
                END
            FROM question
            WHERE NEW.value IS NOT NULL AND name = NEW.name AND is_derived = 0
                AND form = \(field("@form")) AND version = \(field("@formVersion"));
        """

    /// Choices that are made of answers, as of the rows of a repeat, stand in no list: what they are, the
    /// form alone can tell.
    private static let hasList =
        "EXISTS (SELECT 1 FROM question_choice AS choice WHERE \(isOffered))"

    /// A list that several questions share stands under the first of them.
    private static let isOffered = """
        choice.form = question.form AND choice.version = question.version
                        AND choice.question = coalesce(question.list, question.name)
        """

    /// How many names of the list the value has. One that it has twice counts once, and one that is not
    /// in the list not at all, so that either makes fewer than the value has words.
    private static let namesInList = """
        (
                    SELECT count(*) FROM question_choice AS choice
                    WHERE \(isOffered)
                        AND instr(' ' || NEW.value || ' ', ' ' || choice.name || ' ') > 0)
        """

    private static let namesInValue =
        "length(NEW.value) - length(replace(NEW.value, ' ', '')) + 1"

    private static func field(_ name: String) -> String {
        "(SELECT value FROM field WHERE record_id = NEW.record_id AND name = '\(name)')"
    }
}
