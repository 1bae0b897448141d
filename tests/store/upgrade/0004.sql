-- Rows as version 4 of the schema takes them: a leaf, a checkpoint, an entry of the access log, a hold, a tombstone.
INSERT INTO leaves (tree, position, leaf, kind, table, key, chain, at) VALUES
    ('main', 0, unhex('aa'), 'record', 'BT1', 'table.bets/2/0', unhex('bb'), '2026-01-31 23:59:59.500');

INSERT INTO checkpoints (tree, size, root, at, key_id, signature, note) VALUES
    ('main', 1, unhex('cc'), '2026-02-01 00:00:30', 'k1', unhex('dd'), 'main 1');

INSERT INTO access_log (at, entry, who, role, action, table, shoe, round, address, detail) VALUES
    ('2026-02-02 09:00:00', 'e1', 'otto', 'auditor', 'replay', 'BT1', 'S1', 1, '127.0.0.1', '{}');

INSERT INTO holds (hold, table, shoe, round, reason, placed_by, placed, lifted_by, lifted, version) VALUES
    ('case 7', 'BT1', 'S1', 1, 'a complaint', 'otto', '2026-02-02 09:01:00', '', NULL, 1);

INSERT INTO tombstones (store_table, scope, month, before, rows, first, last, digest, years, written, by) VALUES
    ('records', '/table.bets/2', '2020-01-01', '2020-02-01 00:00:00', 3, '0', '2', unhex('ee'), 5, '2025-02-01 00:00:00', 'sweep');
