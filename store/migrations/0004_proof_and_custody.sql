-- What proves the rest: leaves and checkpoints of the Merkle trees, who looked at what, what may not be deleted, and
-- what was deleted when its time was over. Nothing here but the access log is ever deleted.

CREATE TABLE IF NOT EXISTS leaves$local $on_cluster
(
    tree LowCardinality(String),
    position UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'in the tree, from 0',
    leaf FixedString(32) CODEC(NONE) COMMENT 'RFC 6962 leaf hash; two leaves at one position both stay, and tell',
    kind LowCardinality(String) COMMENT 'record, verdict, access, tombstone, …',
    table LowCardinality(String) COMMENT 'whose chain it is a link of; empty: of none',
    key String CODEC(ZSTD(1)) COMMENT 'the row that it stands for',
    chain FixedString(32) CODEC(NONE) COMMENT 'head of the table''s hash chain after this link',
    at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)) COMMENT 'the time that the row''s retention counts from',
    INDEX key_index key TYPE bloom_filter GRANULARITY 1
)
ENGINE = $engine(ReplacingMergeTree)
PARTITION BY toYYYYMM(at)
ORDER BY (tree, position, leaf)
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(leaves, cityHash64(tree));

CREATE TABLE IF NOT EXISTS checkpoints$local $on_cluster
(
    tree LowCardinality(String),
    size UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'how many leaves it covers',
    root FixedString(32),
    at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    key_id LowCardinality(String),
    signature String COMMENT 'Ed25519 over the note',
    note String CODEC(ZSTD(1)) COMMENT 'the text that was signed, as published'
)
ENGINE = $engine(ReplacingMergeTree)
ORDER BY (tree, size, root, key_id)
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(checkpoints, cityHash64(tree));

CREATE TABLE IF NOT EXISTS access_log$local $on_cluster
(
    at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    entry String CODEC(ZSTD(1)) COMMENT 'id of the entry',
    who String CODEC(ZSTD(1)),
    role LowCardinality(String),
    action LowCardinality(String),
    table LowCardinality(String),
    shoe String CODEC(ZSTD(1)),
    round UInt64,
    address String CODEC(ZSTD(1)) COMMENT 'where from',
    detail String CODEC(ZSTD(1)) COMMENT 'JSON',
    held UInt8 DEFAULT 0
)
ENGINE = $engine(ReplacingMergeTree)
PARTITION BY toYYYYMM(at)
ORDER BY (at, entry)
TTL at + INTERVAL $years YEAR + INTERVAL 1 MONTH DELETE WHERE held = 0
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(access_log, cityHash64(entry));

CREATE TABLE IF NOT EXISTS holds$local $on_cluster
(
    hold String COMMENT 'name of the hold, e.g. the case number',
    table LowCardinality(String),
    shoe String,
    round UInt64 COMMENT '0: the whole shoe',
    reason String,
    placed_by String,
    placed DateTime64(3, 'UTC'),
    lifted_by String COMMENT 'empty: in force',
    lifted Nullable(DateTime64(3, 'UTC')),
    version UInt64
)
ENGINE = $engine(ReplacingMergeTree, version)
ORDER BY (hold, table, shoe, round)
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(holds, cityHash64(hold));

CREATE TABLE IF NOT EXISTS retentions$local $on_cluster
(
    at DateTime64(3, 'UTC'),
    years UInt16 COMMENT 'in force from then on',
    by String
)
ENGINE = $engine(ReplacingMergeTree)
ORDER BY (at, years)
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(retentions, 0);

CREATE TABLE IF NOT EXISTS tombstones$local $on_cluster
(
    store_table LowCardinality(String) COMMENT 'the table whose rows are past their retention',
    scope String COMMENT 'records: log/topic/partition; elsewhere the gaming table',
    month Date COMMENT 'of the rows'' arrival or judgement',
    before DateTime64(3, 'UTC') COMMENT 'rows of this month and scope older than this may be gone',
    rows UInt64 COMMENT 'how many there were when this was written, those held not counted',
    first String COMMENT 'key of the first of them',
    last String COMMENT 'key of the last',
    digest FixedString(32) COMMENT 'SHA-256 over the sorted row hashes',
    years UInt16 COMMENT 'the retention then in force',
    written DateTime64(3, 'UTC'),
    by String
)
ENGINE = $engine(ReplacingMergeTree)
ORDER BY (store_table, scope, month, before)
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(tombstones, cityHash64(scope));
