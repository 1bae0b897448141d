-- What makes proofs quick, and what they are checked with: the roots of whole subtrees, and the public keys.

CREATE TABLE IF NOT EXISTS tree_nodes$local $on_cluster
(
    tree LowCardinality(String),
    level UInt8 COMMENT 'the subtree has 2^level leaves; those of level 8 and more are kept',
    place UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'among the subtrees of its level, from 0',
    hash FixedString(32) CODEC(NONE) COMMENT 'RFC 6962 node hash; a proof made with a wrong one does not reach the signed root'
)
ENGINE = $engine(ReplacingMergeTree)
ORDER BY (tree, level, place, hash)
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(tree_nodes, cityHash64(tree));

CREATE TABLE IF NOT EXISTS signing_keys$local $on_cluster
(
    key_id LowCardinality(String) COMMENT 'first 16 hex digits of the SHA-256 of the public key',
    public_key FixedString(32) COMMENT 'Ed25519',
    made DateTime64(3, 'UTC'),
    by String,
    previous LowCardinality(String) COMMENT 'id of the key before it; empty: the first, or one made after a loss',
    voucher String COMMENT 'signature of the key before it over the public key; empty: that key was not there any more'
)
ENGINE = $engine(ReplacingMergeTree)
ORDER BY (key_id, public_key)
SETTINGS non_replicated_deduplication_window = 1000;

$distributed(signing_keys, cityHash64(key_id));
