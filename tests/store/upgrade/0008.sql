-- Rows as version 8 of the schema takes them: how two wagers of a round hang together.
INSERT INTO wager_covariances (game, decks, wager, other, covariance, version) VALUES
    ('no_commission', 8, 'player', 'banker', -0.88, 1);
