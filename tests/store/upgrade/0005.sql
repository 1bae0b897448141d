-- Rows as version 5 of the schema takes them: a shoe and the odds of a wager.
INSERT INTO shoes (table, shoe, version, game, decks, loaded, ended, rounds, summarised, summary) VALUES
    ('BT1', 'S1', 1, 'no_commission', 8, '2026-01-31 23:00:00', '2026-02-01 00:10:00', 1, '2026-02-01 00:10:05', '{"cards":[]}');

INSERT INTO wager_odds (game, decks, wager, expected_return, expectation, deviation, version) VALUES
    ('no_commission', 8, 'player', '-1/81', -0.0123, 0.95, 1);
