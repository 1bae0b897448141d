-- What dashboards ask. Every target bears repetition: it keeps one row per round (the one that counts), or minimum and
-- maximum. A feed also takes what was stored before it.

-- Money, findings and latency of each round.
CREATE TABLE IF NOT EXISTS round_figures$local $on_cluster
(
    table LowCardinality(String),
    shoe String CODEC(ZSTD(1)),
    round UInt64 CODEC(Delta, ZSTD(1)),
    precedence UInt64,
    opened DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    judged DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    game LowCardinality(String),
    pit LowCardinality(String),
    currency LowCardinality(String),
    status LowCardinality(String),
    bets UInt32 CODEC(ZSTD(1)) COMMENT 'with a stake that stands',
    handle Int128 CODEC(ZSTD(1)) COMMENT 'sum of the stakes; 0 in a void round',
    win Int128 CODEC(ZSTD(1)) COMMENT 'what the house collected less what it paid',
    due_win Decimal(38, 6) CODEC(ZSTD(1)) COMMENT 'the same as it should have been',
    critical UInt32 CODEC(ZSTD(1)) COMMENT 'findings of this severity, as high, medium and low are',
    high UInt32 CODEC(ZSTD(1)),
    medium UInt32 CODEC(ZSTD(1)),
    low UInt32 CODEC(ZSTD(1)),
    latency_ms Int64 CODEC(ZSTD(1)) COMMENT 'from the round''s last fact, by its device, to the verdict',
    held UInt8 DEFAULT 0 CODEC(ZSTD(1)),
    INDEX opened_index opened TYPE minmax GRANULARITY 1
)
ENGINE = $engine(ReplacingMergeTree, precedence)
PARTITION BY toYYYYMM(judged)
ORDER BY (table, shoe, round)
TTL judged + INTERVAL $years YEAR + INTERVAL 1 MONTH DELETE WHERE held = 0
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(round_figures, cityHash64(table));

$feed(round_figures, rounds)
SELECT
    table, shoe, round, precedence, opened, judged, game, pit, currency, status,
    toUInt32(arrayCount(stake -> stake > 0, bets.stake)) AS bets,
    if(status = 'void', toInt128(0), arraySum(arrayMap(stake -> toInt128(stake), bets.stake))) AS handle,
    arraySum(arrayMap((collected, paid) -> toInt128(ifNull(collected, 0)) - toInt128(ifNull(paid, 0)),
        bets.collected, bets.paid)) AS win,
    toDecimal128(arraySum(arrayMap((collected, paid) -> ifNull(collected, 0) - ifNull(paid, 0),
        bets.expected_collected, bets.expected_paid)), 6) AS due_win,
    toUInt32(countEqual(severities, 'critical')) AS critical,
    toUInt32(countEqual(severities, 'high')) AS high,
    toUInt32(countEqual(severities, 'medium')) AS medium,
    toUInt32(countEqual(severities, 'low')) AS low,
    toUnixTimestamp64Milli(judged) - intDiv(toUnixTimestamp64Micro(ended), 1000) AS latency_ms,
    held
FROM $source;

CREATE VIEW IF NOT EXISTS table_minutes $on_cluster AS
SELECT
    toStartOfMinute(opened) AS minute, table, game, pit, currency,
    count() AS rounds, countIf(status = 'void') AS voids,
    countIf(status = 'flagged') AS flagged, countIf(status = 'unverifiable') AS unverifiable,
    sum(figures.bets) AS bets, sum(figures.handle) AS handle, sum(figures.win) AS win, sum(figures.due_win) AS due_win,
    if(handle = 0, NULL, toFloat64(win) / toFloat64(handle)) AS hold,
    sum(figures.critical) AS critical, sum(figures.high) AS high, sum(figures.medium) AS medium, sum(figures.low) AS low,
    avg(latency_ms) AS mean_latency_ms, max(latency_ms) AS worst_latency_ms
FROM round_figures AS figures FINAL
GROUP BY minute, table, game, pit, currency;

-- Findings by minute in their last state, those of devices and shoes included. There are few, so that nothing is kept twice.
CREATE VIEW IF NOT EXISTS finding_minutes $on_cluster AS
SELECT
    toStartOfMinute(time) AS minute, table, severity, code,
    count() AS findings, countIf(cleared = 1) AS cleared_later, countIf(corrected = 1) AS corrected_later
FROM findings FINAL
GROUP BY minute, table, severity, code;

-- What was heard of each source, by the hour of arrival: silence, clocks, sequences, latency.
CREATE TABLE IF NOT EXISTS source_hours$local $on_cluster
(
    table LowCardinality(String),
    source LowCardinality(String),
    hour DateTime('UTC') CODEC(Delta, ZSTD(1)),
    first_sequence SimpleAggregateFunction(min, UInt64) CODEC(ZSTD(1)),
    last_sequence SimpleAggregateFunction(max, UInt64) CODEC(ZSTD(1)),
    last_time SimpleAggregateFunction(max, DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
    last_arrival SimpleAggregateFunction(max, DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
    fastest_ms SimpleAggregateFunction(min, Int64) CODEC(ZSTD(1)) COMMENT 'shortest way from the device''s time to arrival',
    slowest_ms SimpleAggregateFunction(max, Int64) CODEC(ZSTD(1)) COMMENT 'longest',
    held SimpleAggregateFunction(max, UInt8) DEFAULT 0 CODEC(ZSTD(1))
)
ENGINE = $engine(AggregatingMergeTree)
PARTITION BY toYYYYMM(hour)
ORDER BY (table, source, hour)
TTL hour + INTERVAL $years YEAR + INTERVAL 1 MONTH DELETE WHERE held = 0
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(source_hours, cityHash64(table));

$feed(source_hours, events)
SELECT
    table, source, toDateTime(toStartOfHour(arrival), 'UTC') AS hour,
    min(sequence) AS first_sequence, max(sequence) AS last_sequence,
    max(time) AS last_time, max(arrival) AS last_arrival,
    min(toUnixTimestamp64Milli(arrival) - intDiv(toUnixTimestamp64Micro(time), 1000)) AS fastest_ms,
    max(toUnixTimestamp64Milli(arrival) - intDiv(toUnixTimestamp64Micro(time), 1000)) AS slowest_ms,
    max(held) AS held
FROM $source
GROUP BY table, source, hour;

-- The shoe's account: every card as it was read, once however often it was reported. The events of a shoe lie together,
-- so that nothing is kept twice.
CREATE VIEW IF NOT EXISTS shoe_ledger $on_cluster AS
SELECT table, shoe, card, uniqExact(round, draw) AS seen
FROM events
WHERE type = 'card.drawn.v1'
GROUP BY table, shoe, card;

-- Which rounds there are, by what was heard of them, judged or not: a worker finds here what it has to fold again.
CREATE TABLE IF NOT EXISTS round_spans$local $on_cluster
(
    partition UInt32 CODEC(ZSTD(1)),
    table LowCardinality(String),
    shoe String CODEC(ZSTD(1)),
    round UInt64 CODEC(Delta, ZSTD(1)) COMMENT '0: what is said of the shoe alone',
    month Date COMMENT 'of the arrivals that the row sums up',
    first_time SimpleAggregateFunction(min, DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
    last_time SimpleAggregateFunction(max, DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
    last_arrival SimpleAggregateFunction(max, DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
    closed SimpleAggregateFunction(max, UInt8) CODEC(ZSTD(1)) COMMENT 'the round was closed, or the shoe ended',
    held SimpleAggregateFunction(max, UInt8) DEFAULT 0 CODEC(ZSTD(1))
)
ENGINE = $engine(AggregatingMergeTree)
PARTITION BY month
ORDER BY (partition, table, shoe, round)
TTL month + INTERVAL $years YEAR + INTERVAL 2 MONTH DELETE WHERE held = 0
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(round_spans, cityHash64(table));

$feed(round_spans, events)
SELECT
    partition, table, shoe, round, toStartOfMonth(arrival) AS month,
    min(time) AS first_time, max(time) AS last_time, max(arrival) AS last_arrival,
    max(type IN ('round.closed.v1', 'shoe.ended.v1')) AS closed, max(held) AS held
FROM $source
WHERE shoe != ''
GROUP BY partition, table, shoe, round, month;
