-- Rows as version 1 of the schema takes them: two records, three events of a round, a refused one.
INSERT INTO records (topic, partition, offset, arrival, events, rejected, raw) VALUES
    ('table.bets', 2, 0, '2026-01-31 23:59:59.500', 2, 1, '[{"old":1},{"old":2},{"bad":3}]'),
    ('table.cards', 2, 7, '2026-02-01 00:00:01.000', 1, 0, '{"old":4}');

INSERT INTO events (table, shoe, round, type, topic, partition, offset, place, source, sequence, id_mark, time, arrival, draw, card) VALUES
    ('BT1', 'S1', 1, 'bet.placed.v1', 'table.bets', 2, 0, 0, '/tables/BT1/rfid', 5, 17, '2026-01-31 23:59:58.000001', '2026-01-31 23:59:59.500', 0, ''),
    ('BT1', 'S1', 1, 'bet.placed.v1', 'table.bets', 2, 0, 1, '/tables/BT1/rfid', 6, 18, '2026-01-31 23:59:59.000001', '2026-01-31 23:59:59.500', 0, ''),
    ('BT1', 'S1', 1, 'card.drawn.v1', 'table.cards', 2, 7, 0, '/tables/BT1/reader', 9, 19, '2026-02-01 00:00:00.250000', '2026-02-01 00:00:01.000', 1, '9S'),
    ('BT1', 'S1', 1, 'round.closed.v1', 'table.floor', 2, 3, 0, '/tables/BT1/dealer', 2, 20, '2026-02-01 00:00:09.000000', '2026-02-01 00:00:10.000', 0, '');

INSERT INTO rejected (table, topic, partition, offset, place, arrival, reason, source, type, id, sequence, digest, raw) VALUES
    ('BT1', 'table.bets', 2, 0, 2, '2026-01-31 23:59:59.500', 'no type', '/tables/BT1/rfid', '', 'x', 7, unhex('00000000000000000000000000000000000000000000000000000000000000ff'), '{"bad":3}');
