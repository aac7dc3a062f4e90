extension Schema {
    /// Mutations whose device had not heard yet that it lost their records: a person decides.
    static let parking = """
        CREATE TABLE parked (
            mutation_id TEXT PRIMARY KEY,
            record_id TEXT NOT NULL,
            device_id TEXT NOT NULL,
            document TEXT NOT NULL             -- the mutation as it came
        ) WITHOUT ROWID;
        CREATE INDEX parked_by_record ON parked (record_id, device_id);
        """
}
