-- Rows as version 9 of the schema takes them: a month that had rows before gets more.
INSERT INTO verdicts (table, shoe, round, revision, digest, judge, judged, verdict) VALUES
    ('BT1', 'S1', 2, 1, unhex('33'), '1.0', '2026-02-01 00:02:11', '{"revision":1}');
