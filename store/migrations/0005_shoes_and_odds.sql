-- What the watches over many rounds need: a summary per shoe, and the exact expectation of every wager.

CREATE TABLE IF NOT EXISTS shoes$local $on_cluster
(
    table LowCardinality(String),
    shoe String CODEC(ZSTD(1)),
    version UInt64 COMMENT 'grows with every summary of this shoe',
    game LowCardinality(String),
    decks UInt64,
    loaded DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    ended DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    rounds UInt64 CODEC(ZSTD(1)),
    summarised DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    summary String CODEC(ZSTD(3)) COMMENT 'JSON',
    held UInt8 DEFAULT 0,
    precedence UInt64 MATERIALIZED
        bitShiftLeft(version, 44) + (17592186044415 - toUInt64(toUnixTimestamp64Milli(summarised))),
    INDEX ended_index ended TYPE minmax GRANULARITY 1
)
ENGINE = $engine(ReplacingMergeTree, precedence)
PARTITION BY toYYYYMM(summarised)
ORDER BY (table, shoe)
TTL summarised + INTERVAL $years YEAR + INTERVAL 1 MONTH DELETE WHERE held = 0
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(shoes, cityHash64(table));

CREATE TABLE IF NOT EXISTS wager_odds$local $on_cluster
(
    game LowCardinality(String),
    decks UInt64,
    wager LowCardinality(String),
    expected_return String COMMENT 'exact expected net per unit staked, p/q',
    expectation Float64 COMMENT 'the same as a number, for charts',
    deviation Float64 COMMENT 'standard deviation of the net per unit staked, for charts',
    version UInt64
)
ENGINE = $engine(ReplacingMergeTree, version)
ORDER BY (game, decks, wager)
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(wager_odds, 0);
