-- Rows as version 10 of the schema takes them: another shoe of a table that had rows before.
INSERT INTO verdicts (table, shoe, round, revision, digest, judge, judged, verdict) VALUES
    ('BT1', 'S2', 1, 1, unhex('34'), '1.0', '2026-02-01 00:03:11', '{"revision":1}');
