-- What was judged: every revision of every verdict, and the last one of each round in compact form for bulk audit.
--
-- Of several rows about one round the highest revision counts, and of its repeats the one judged first; `precedence`
-- says so as one number, so that the order of inserts does not matter. A round is one row, its bets included: a
-- revision that knows fewer bets leaves none of the old ones behind.

CREATE TABLE IF NOT EXISTS verdicts$local $on_cluster
(
    table LowCardinality(String),
    shoe String CODEC(ZSTD(1)),
    round UInt64 CODEC(Delta, ZSTD(1)),
    revision UInt32 CODEC(ZSTD(1)),
    digest FixedString(32) COMMENT 'SHA-256 over the canonical facts; two digests under one revision both stay',
    judge LowCardinality(String) COMMENT 'version of the judge',
    judged DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    verdict String CODEC(ZSTD(3)) COMMENT 'the verdict as it was published, JSON',
    held UInt8 DEFAULT 0 CODEC(ZSTD(1)),
    precedence UInt64 MATERIALIZED
        bitShiftLeft(toUInt64(revision), 44) + (17592186044415 - toUInt64(toUnixTimestamp64Milli(judged)))
)
ENGINE = $engine(ReplacingMergeTree, precedence)
PARTITION BY toYYYYMM(judged)
PRIMARY KEY (table, shoe, round)
ORDER BY (table, shoe, round, revision, digest)
TTL judged + INTERVAL $years YEAR + INTERVAL 1 MONTH DELETE WHERE held = 0
SETTINGS index_granularity_bytes = 262144, non_replicated_deduplication_window = 1000;

$distributed(verdicts, cityHash64(table));

CREATE TABLE IF NOT EXISTS rounds$local $on_cluster
(
    table LowCardinality(String),
    shoe String CODEC(ZSTD(1)),
    round UInt64 CODEC(Delta, ZSTD(1)),
    revision UInt32 CODEC(ZSTD(1)),
    digest FixedString(32),
    judged DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    opened DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)) COMMENT 'time of the opening, or of the first fact',
    ended DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)) COMMENT 'time of the last fact',
    game LowCardinality(String) COMMENT 'empty: not known',
    document LowCardinality(String) COMMENT 'the rule document in force',
    in_force Date32,
    decks UInt64 CODEC(ZSTD(1)) COMMENT '0: not known',
    pit LowCardinality(String),
    currency LowCardinality(String),
    dealer String CODEC(ZSTD(1)),
    status LowCardinality(String),
    codes Array(LowCardinality(String)) COMMENT 'of the findings in the verdict',
    severities Array(LowCardinality(String)) COMMENT 'of the same findings, in the same order',
    cards Array(UInt8) CODEC(ZSTD(1)) COMMENT 'in the order that counts; a card''s place in the game''s deck, or 128 + its place in the other deck',
    winner LowCardinality(String) COMMENT 'recomputed; empty: the facts do not suffice',
    totals Array(UInt8) CODEC(ZSTD(1)) COMMENT 'by hand in the order of the game; in dragon_tiger the rank, Ace 1 to King 13',
    naturals UInt8 CODEC(ZSTD(1)) COMMENT 'bit 0: the first hand, bit 1: the second',
    pairs UInt8 CODEC(ZSTD(1)) COMMENT 'bit 0: the first hand, bit 1: the second',
    displayed_winner LowCardinality(String) COMMENT 'empty: none displayed',
    displayed_totals Array(UInt8) CODEC(ZSTD(1)) COMMENT 'empty: none displayed; 255: a hand that the display left out',
    bets Nested
    (
        bet String,
        position UInt64,
        player String,
        wager LowCardinality(String),
        stake Int64,
        expected_paid Nullable(Decimal(38, 6)),
        expected_collected Nullable(Decimal(38, 6)),
        paid Nullable(Int64),
        collected Nullable(Int64)
    ),
    held UInt8 DEFAULT 0 CODEC(ZSTD(1)),
    precedence UInt64 MATERIALIZED
        bitShiftLeft(toUInt64(revision), 44) + (17592186044415 - toUInt64(toUnixTimestamp64Milli(judged))),
    INDEX opened_index opened TYPE minmax GRANULARITY 1,
    INDEX code_index codes TYPE bloom_filter GRANULARITY 1
)
ENGINE = $engine(ReplacingMergeTree, precedence)
PARTITION BY toYYYYMM(judged)
ORDER BY (table, shoe, round)
TTL judged + INTERVAL $years YEAR + INTERVAL 1 MONTH DELETE WHERE held = 0
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(rounds, cityHash64(table));

-- One row per bet of the last revision of each round.
CREATE VIEW IF NOT EXISTS bets $on_cluster AS
SELECT
    table, shoe, round, revision, opened, game, status, winner, currency,
    b.bet AS bet, b.position AS position, b.player AS player, b.wager AS wager, b.stake AS stake,
    b.expected_paid AS expected_paid, b.expected_collected AS expected_collected,
    b.paid AS paid, b.collected AS collected
FROM rounds FINAL
ARRAY JOIN bets AS b;

-- Where a player may be found: the days and rounds of every revision that named the player. Only `rounds` says what counts.
CREATE TABLE IF NOT EXISTS player_rounds$local $on_cluster
(
    player String CODEC(ZSTD(1)),
    day Date32 CODEC(Delta, ZSTD(1)),
    table LowCardinality(String),
    shoe String CODEC(ZSTD(1)),
    round UInt64 CODEC(Delta, ZSTD(1)),
    month Date COMMENT 'of the judgement',
    held UInt8 DEFAULT 0 CODEC(ZSTD(1))
)
ENGINE = $engine(ReplacingMergeTree)
PARTITION BY month
ORDER BY (player, day, table, shoe, round)
TTL month + INTERVAL $years YEAR + INTERVAL 2 MONTH DELETE WHERE held = 0
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(player_rounds, cityHash64(table));

$feed(player_rounds, rounds)
SELECT arrayJoin(bets.player) AS player, toDate32(opened) AS day, table, shoe, round, toStartOfMonth(judged) AS month, held
FROM $source
WHERE player != '';
