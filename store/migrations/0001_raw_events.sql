-- What came in: every record as received, once; its events, which refer to it by place; and what was refused.
--
-- Time to live counts from arrival, never from a device's clock: a clock that says 1970 must not delete evidence.
-- A month of grace after the retention leaves room to write down what is about to go (tombstones).
-- `held` = 1 keeps a row for as long as it is 1: a legal hold, or a configuration, which stays in force however old it is.

CREATE TABLE IF NOT EXISTS records$local $on_cluster
(
    log LowCardinality(String) COMMENT 'the log that offsets count in; a new one when topics are made anew',
    topic LowCardinality(String),
    partition UInt32 CODEC(ZSTD(1)),
    offset UInt64 CODEC(Delta, ZSTD(1)),
    arrival DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)) COMMENT 'when the log took the record, by the log''s own time stamp',
    events UInt32 CODEC(ZSTD(1)) COMMENT 'how many events of it were accepted',
    rejected UInt32 CODEC(ZSTD(1)) COMMENT 'how many were refused',
    raw String CODEC(ZSTD(1)) COMMENT 'the bytes as received',
    held UInt8 DEFAULT 0 CODEC(ZSTD(1))
)
ENGINE = $engine(ReplacingMergeTree)
PARTITION BY toYYYYMM(arrival)
ORDER BY (log, topic, partition, offset)
TTL arrival + INTERVAL $years YEAR + INTERVAL 1 MONTH DELETE WHERE held = 0
SETTINGS index_granularity_bytes = 131072, min_compress_block_size = 131072, max_compress_block_size = 262144,
    non_replicated_deduplication_window = 1000;

$distributed(records, cityHash64(partition));

CREATE TABLE IF NOT EXISTS events$local $on_cluster
(
    table LowCardinality(String),
    shoe String CODEC(ZSTD(1)) COMMENT 'empty: an event of the table or of a device',
    round UInt64 CODEC(Delta, ZSTD(1)) COMMENT '0: not of a round',
    type LowCardinality(String),
    log LowCardinality(String),
    topic LowCardinality(String),
    partition UInt32 CODEC(ZSTD(1)),
    offset UInt64 CODEC(Delta, ZSTD(1)),
    place UInt32 CODEC(ZSTD(1)) COMMENT 'its place in the record, from 0',
    source LowCardinality(String),
    sequence UInt64 CODEC(Delta, ZSTD(1)),
    id_mark UInt16 CODEC(NONE) COMMENT 'CRC-32 of the id modulo 65536: finds an event by its id, which stays in the record alone',
    time DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)) COMMENT 'by the device''s clock',
    arrival DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    draw UInt64 CODEC(ZSTD(1)) COMMENT 'of a card that was drawn, else 0',
    card LowCardinality(String) COMMENT 'of a card that was drawn, else empty',
    held UInt8 DEFAULT 0 CODEC(ZSTD(1)),
    INDEX time_index time TYPE minmax GRANULARITY 1,
    INDEX arrival_index arrival TYPE minmax GRANULARITY 1
)
ENGINE = $engine(ReplacingMergeTree)
PARTITION BY toYYYYMM(arrival)
PRIMARY KEY (table, shoe, round)
ORDER BY (table, shoe, round, type, log, topic, partition, offset, place)
TTL arrival + INTERVAL $years YEAR + INTERVAL 1 MONTH DELETE WHERE held = 0
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(events, cityHash64(table));

CREATE TABLE IF NOT EXISTS rejected$local $on_cluster
(
    table LowCardinality(String) COMMENT 'empty where it cannot be read',
    log LowCardinality(String),
    topic LowCardinality(String),
    partition UInt32,
    offset UInt64,
    place UInt32,
    arrival DateTime64(3, 'UTC'),
    reason String CODEC(ZSTD(1)),
    source String CODEC(ZSTD(1)) COMMENT 'empty where it cannot be read, as type, id and time are',
    type String CODEC(ZSTD(1)),
    id String CODEC(ZSTD(1)),
    sequence Nullable(UInt64) COMMENT 'the place in its source''s sequence that it fills',
    time Nullable(DateTime64(6, 'UTC')),
    digest FixedString(32) COMMENT 'SHA-256 of the bytes: identical bytes are one finding',
    raw String CODEC(ZSTD(3)) COMMENT 'the very bytes of the event inside its record',
    held UInt8 DEFAULT 0,
    INDEX arrival_index arrival TYPE minmax GRANULARITY 1
)
ENGINE = $engine(ReplacingMergeTree)
PARTITION BY toYYYYMM(arrival)
ORDER BY (table, log, topic, partition, offset, place)
TTL arrival + INTERVAL $years YEAR + INTERVAL 1 MONTH DELETE WHERE held = 0
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(rejected, cityHash64(table));
