-- What was found, and what people did about it.
--
-- A finding is known by its id; of several states the one with the highest version counts. Every step in the life of an
-- alert is a row of its own and never changes; the state of an alert follows from its steps.

CREATE TABLE IF NOT EXISTS findings$local $on_cluster
(
    table LowCardinality(String) COMMENT 'empty: of no table',
    shoe String CODEC(ZSTD(1)) COMMENT 'empty: of no shoe',
    round UInt64 COMMENT '0: of no round',
    id String CODEC(ZSTD(1)) COMMENT 'depends on what the finding is about, never on its wording or amounts',
    version UInt64 COMMENT 'grows with every state of this finding',
    code LowCardinality(String),
    severity LowCardinality(String),
    basis LowCardinality(String),
    rule LowCardinality(String) COMMENT 'document and clause; empty: no clause is behind it',
    bet String CODEC(ZSTD(1)),
    draw UInt64,
    message String CODEC(ZSTD(1)),
    cleared UInt8 COMMENT 'a later fact took it back',
    corrected UInt8 COMMENT 'the settlement was put right afterwards',
    time DateTime64(6, 'UTC') COMMENT 'device time of the fact that decided it',
    raised DateTime64(3, 'UTC') COMMENT 'when the worker said so',
    finding String CODEC(ZSTD(3)) COMMENT 'as published, JSON',
    held UInt8 DEFAULT 0,
    precedence UInt64 MATERIALIZED
        bitShiftLeft(version, 44) + (17592186044415 - toUInt64(toUnixTimestamp64Milli(raised))),
    INDEX time_index time TYPE minmax GRANULARITY 1,
    INDEX id_index id TYPE bloom_filter GRANULARITY 1
)
ENGINE = $engine(ReplacingMergeTree, precedence)
PARTITION BY toYYYYMM(raised)
ORDER BY (table, shoe, round, id)
TTL raised + INTERVAL $years YEAR + INTERVAL 1 MONTH DELETE WHERE held = 0
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(findings, cityHash64(table));

CREATE TABLE IF NOT EXISTS alerts$local $on_cluster
(
    alert String CODEC(ZSTD(1)),
    finding String CODEC(ZSTD(1)) COMMENT 'the id of the finding that it tells of',
    table LowCardinality(String),
    shoe String CODEC(ZSTD(1)),
    round UInt64,
    code LowCardinality(String),
    severity LowCardinality(String),
    pit LowCardinality(String),
    game LowCardinality(String),
    message String CODEC(ZSTD(1)),
    time DateTime64(6, 'UTC') COMMENT 'device time of the fact that decided the finding',
    raised DateTime64(3, 'UTC'),
    detail String CODEC(ZSTD(1)) COMMENT 'JSON',
    held UInt8 DEFAULT 0,
    precedence UInt64 MATERIALIZED 17592186044415 - toUInt64(toUnixTimestamp64Milli(raised)),
    INDEX raised_index raised TYPE minmax GRANULARITY 1
)
ENGINE = $engine(ReplacingMergeTree, precedence)
PARTITION BY toYYYYMM(raised)
ORDER BY alert
TTL raised + INTERVAL $years YEAR + INTERVAL 1 MONTH DELETE WHERE held = 0
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(alerts, cityHash64(alert));

CREATE TABLE IF NOT EXISTS alert_steps$local $on_cluster
(
    alert String CODEC(ZSTD(1)),
    at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    step String CODEC(ZSTD(1)) COMMENT 'id of the step',
    action LowCardinality(String) COMMENT 'raised, sent, acknowledged, escalated, resolved, …',
    state LowCardinality(String) COMMENT 'what the alert is from then on; empty: unchanged',
    by String CODEC(ZSTD(1)) COMMENT 'the person, or the part of the system',
    role LowCardinality(String),
    recipient String CODEC(ZSTD(1)) COMMENT 'who was told, by which channel',
    disposition LowCardinality(String) COMMENT 'of a resolution: confirmed, false alarm, test, training',
    note String CODEC(ZSTD(1)),
    detail String CODEC(ZSTD(1)) COMMENT 'JSON',
    held UInt8 DEFAULT 0,
    INDEX at_index at TYPE minmax GRANULARITY 1
)
ENGINE = $engine(ReplacingMergeTree)
PARTITION BY toYYYYMM(at)
ORDER BY (alert, at, step)
TTL at + INTERVAL $years YEAR + INTERVAL 1 MONTH DELETE WHERE held = 0
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(alert_steps, cityHash64(alert));

-- The last state of each alert and the times that reports ask for. argMax and min over steps bear repetition.
CREATE TABLE IF NOT EXISTS alert_states$local $on_cluster
(
    alert String CODEC(ZSTD(1)),
    month Date COMMENT 'of the steps that the row sums up',
    state AggregateFunction(argMax, String, Tuple(DateTime64(6, 'UTC'), String)),
    disposition AggregateFunction(argMax, String, Tuple(DateTime64(6, 'UTC'), String)),
    changed SimpleAggregateFunction(max, DateTime64(6, 'UTC')),
    acknowledged SimpleAggregateFunction(min, Nullable(DateTime64(6, 'UTC'))),
    resolved SimpleAggregateFunction(max, Nullable(DateTime64(6, 'UTC'))),
    held SimpleAggregateFunction(max, UInt8) DEFAULT 0
)
ENGINE = $engine(AggregatingMergeTree)
PARTITION BY month
ORDER BY alert
TTL month + INTERVAL $years YEAR + INTERVAL 2 MONTH DELETE WHERE held = 0
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(alert_states, cityHash64(alert));

$feed(alert_states, alert_steps)
SELECT
    steps.alert AS alert,
    toStartOfMonth(steps.at) AS month,
    argMaxState(toString(steps.state), (steps.at, steps.step)) AS state,
    argMaxState(toString(steps.disposition), (steps.at, steps.step)) AS disposition,
    max(steps.at) AS changed,
    min(if(steps.state = 'acknowledged', toNullable(steps.at), NULL)) AS acknowledged,
    max(if(steps.state = 'resolved', toNullable(steps.at), NULL)) AS resolved,
    max(steps.held) AS held
FROM $source AS steps
WHERE steps.state != ''
GROUP BY alert, month;
