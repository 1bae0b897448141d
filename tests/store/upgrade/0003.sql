-- Rows as version 3 of the schema takes them: a finding that was cleared, an alert and its steps.
INSERT INTO findings (table, shoe, round, id, version, code, severity, basis, rule, bet, draw, message, cleared, corrected, time, raised, finding) VALUES
    ('BT1', 'S1', 1, 'aa', 1, 'late-bet', 'critical', 'rule', 'dragon-tiger-baccarat 5.1', 'b1', 0, 'A late bet.', 0, 0, '2026-02-01 00:00:00', '2026-02-01 00:00:01', '{"id":"aa"}'),
    ('BT1', 'S1', 1, 'aa', 2, 'late-bet', 'critical', 'rule', 'dragon-tiger-baccarat 5.1', 'b1', 0, 'A late bet.', 1, 0, '2026-02-01 00:00:00', '2026-02-01 00:00:05', '{"id":"aa","cleared":true}');

INSERT INTO alerts (alert, finding, table, shoe, round, code, severity, pit, game, message, time, raised, detail) VALUES
    ('A1', 'aa', 'BT1', 'S1', 1, 'late-bet', 'critical', 'P1', 'no_commission', 'A late bet.', '2026-02-01 00:00:00', '2026-02-01 00:00:01', '{}');

INSERT INTO alert_steps (alert, at, step, action, state, by, role, recipient, disposition, note, detail) VALUES
    ('A1', '2026-02-01 00:00:01', 's1', 'raised', 'open', 'worker', '', '', '', '', '{}'),
    ('A1', '2026-02-01 00:02:00', 's2', 'acknowledged', 'acknowledged', 'anna', 'shift_manager', '', '', '', '{}'),
    ('A1', '2026-03-01 00:00:00', 's3', 'resolved', 'resolved', 'anna', 'shift_manager', '', 'confirmed', 'paid back', '{}');
