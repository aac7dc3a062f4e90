import TerminalKit
import Testing

@Suite("The chart of readings")
struct ReadingChartTests {
    @Test("a rising line goes from the lower left dot to the upper right one")
    func rising() throws {
        let chart = try #require(
            ReadingChart([1, 2], columns: 4, rows: 2, tier: .utf8))
        #expect(chart.lines == ["  ⡠⠊", "⡠⠊  "])
        #expect(chart.low == 1 && chart.high == 2)
    }

    @Test("in ASCII a cell is a dot, and a limit is dotted where no reading is")
    func ascii() throws {
        let chart = try #require(
            ReadingChart([0, 0, 4], limits: [2], columns: 5, rows: 5, tier: .ascii))
        #expect(
            chart.lines == [
                "    *", "    *".replacing("    *", with: "    *"), "- -*-", "   * ", "***  ",
            ])
    }

    @Test("a limit far from all readings is left out, so that the line keeps its shape")
    func farLimit() throws {
        let near = try #require(
            ReadingChart([150, 160], limits: [175], columns: 8, rows: 3, tier: .utf8))
        #expect(near.high == 175)
        let far = try #require(
            ReadingChart([150, 160], limits: [600], columns: 8, rows: 3, tier: .utf8))
        #expect(far.high == 160 && far.low == 150)
    }

    @Test("readings that are all alike stand in the middle", arguments: [-5.0, 0, 7.5])
    func flat(value: Double) throws {
        let chart = try #require(
            ReadingChart([value, value, value], columns: 6, rows: 3, tier: .ascii))
        #expect(chart.lines == ["      ", "******", "      "])
        #expect(chart.low < value && value < chart.high)
    }

    @Test("one reading, no room, or what is no number makes no chart")
    func none() {
        #expect(ReadingChart([1], columns: 8, rows: 3, tier: .utf8) == nil)
        #expect(ReadingChart([1, 2], columns: 1, rows: 3, tier: .utf8) == nil)
        #expect(ReadingChart([1, 2], columns: 8, rows: 0, tier: .utf8) == nil)
        #expect(ReadingChart([1, .nan], columns: 8, rows: 3, tier: .utf8) == nil)
        let most = Double.greatestFiniteMagnitude
        #expect(ReadingChart([-most, most], columns: 8, rows: 3, tier: .utf8) == nil)
    }

    @Test(
        "whatever is read, at any size, every line is as wide as it should be",
        arguments: [Tier.utf8, .ascii], [2, 3, 17, 60])
    func sizes(tier: Tier, columns: Int) throws {
        for rows in 1...8 {
            for readings: [Double] in [
                [0, 1e-300], [1e300, -5e299], [3, 1, 2, 9, -4], [0.1, 0.1],
            ] {
                let chart = try #require(
                    ReadingChart(
                        readings, limits: [0, 5], columns: columns, rows: rows, tier: tier))
                #expect(chart.lines.count == rows)
                #expect(chart.lines.allSatisfy { CellWidth.of($0) == columns })
            }
        }
    }
}
