/// The ASCII letter under a letter with an accent, for terminals that have no other. A word stays readable so,
/// where question marks would leave holes in it.
enum PlainLetters {
    static func standIn(for scalar: Unicode.Scalar) -> Unicode.Scalar? { table[scalar] }

    private static let table: [Unicode.Scalar: Unicode.Scalar] = {
        let accented =
            "ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöøùúûüýÿ"
            + "ĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĴĶĹĻĽŁŃŅŇŌŎŐŔŖŘŚŜŞŠŢŤŨŪŬŮŰŲŴŶŸŹŻŽ"
            + "āăąćĉċčďđēĕėęěĝğġģĥħĩīĭįıĵķĺļľłńņňōŏőŕŗřśŝşšţťũūŭůűųŵŷźżž¿¡"
        let plain =
            "AAAAAACEEEEIIIINOOOOOOUUUUYaaaaaaceeeeiiiinoooooouuuuyy"
            + "AAACCCCDDEEEEEGGGGHHIIIIIJKLLLLNNNOOORRRSSSSTTUUUUUUWYYZZZ"
            + "aaaccccddeeeeegggghhiiiiijkllllnnnooorrrssssttuuuuuuwyzzz?!"
        return Dictionary(
            uniqueKeysWithValues: zip(accented.unicodeScalars, plain.unicodeScalars))
    }()
}
