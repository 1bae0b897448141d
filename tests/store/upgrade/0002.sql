-- Rows as version 2 of the schema takes them: a round with two revisions.
INSERT INTO rounds (table, shoe, round, revision, digest, judged, opened, ended, game, document, in_force, decks, pit, currency, dealer, status, codes, severities, cards, winner, totals, naturals, pairs, displayed_winner, displayed_totals, bets.bet, bets.position, bets.player, bets.wager, bets.stake, bets.expected_paid, bets.expected_collected, bets.paid, bets.collected) VALUES
    ('BT1', 'S1', 1, 1, unhex('11'), '2026-02-01 00:00:11', '2026-01-31 23:59:50', '2026-02-01 00:00:09', 'no_commission', 'electronic-baccarat', '2019-01-01', 8, 'P1', 'SGD', 'D7', 'verified', [], [], [32, 49], 'banker', [3, 3], 0, 2, 'banker', [3, 3], ['b1', 'b2'], [1, 2], ['P1', ''], ['player', 'banker'], [500, 300], [0, 300], [500, 0], [0, 300], [500, 0]),
    ('BT1', 'S1', 1, 2, unhex('22'), '2026-02-01 00:01:11', '2026-01-31 23:59:40', '2026-02-01 00:00:09', 'no_commission', 'electronic-baccarat', '2019-01-01', 8, 'P1', 'SGD', 'D7', 'flagged', ['late-bet'], ['critical'], [32, 49], 'banker', [3, 3], 0, 2, 'banker', [3, 3], ['b1'], [1], ['P2'], ['player'], [500], [0.5], [500], [0], [NULL]);

INSERT INTO verdicts (table, shoe, round, revision, digest, judge, judged, verdict) VALUES
    ('BT1', 'S1', 1, 1, unhex('11'), '1.0', '2026-02-01 00:00:11', '{"revision":1}'),
    ('BT1', 'S1', 1, 2, unhex('22'), '1.0', '2026-02-01 00:01:11', '{"revision":2}');
