-- Version 6 brings only what is derived from earlier tables; a late event comes in after it.
INSERT INTO events (table, shoe, round, type, topic, partition, offset, place, source, sequence, id_mark, time, arrival, draw, card) VALUES
    ('BT1', 'S1', 1, 'card.drawn.v1', 'table.cards', 2, 8, 0, '/tables/BT1/reader', 10, 21, '2026-02-01 00:00:00.750000', '2026-02-01 00:00:31.000', 2, 'KH');
