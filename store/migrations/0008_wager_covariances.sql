-- How the wagers of one round hang together: the band around an expected win needs it, since they are settled by the
-- same cards.

CREATE TABLE IF NOT EXISTS wager_covariances$local $on_cluster
(
    game LowCardinality(String),
    decks UInt64,
    wager LowCardinality(String),
    other LowCardinality(String) COMMENT 'of the same round; the wager itself included',
    covariance Float64 COMMENT 'of the nets of one unit on each, from a full shoe',
    version UInt64
)
ENGINE = $engine(ReplacingMergeTree, version)
ORDER BY (game, decks, wager, other)
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(wager_covariances, 0);
