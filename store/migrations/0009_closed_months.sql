-- One row is looked for in every part that may hold it, and each takes the engine about as long: of nine parts it takes
-- about twice as long as one.
--
-- A month that nothing was written to for a day becomes one part, in the background. A day, so that a house that closes
-- for the night does not have its open month written anew every morning. A month that is larger than the engine merges
-- at once (150 GB, unless it is told otherwise) stays in several.
-- What is past its retention is then taken out of one large part: once a day, not every four hours, is often enough.

ALTER TABLE records$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

ALTER TABLE events$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

ALTER TABLE rejected$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

-- Of verdicts mostly one row is read: in smaller blocks there is less to unpack around it. Their text, which is most of
-- them, is in blocks of its own size as before.
ALTER TABLE verdicts$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400,
    min_compress_block_size = 16384;

ALTER TABLE rounds$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

ALTER TABLE player_rounds$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

ALTER TABLE findings$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

ALTER TABLE alerts$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

ALTER TABLE alert_steps$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

ALTER TABLE alert_states$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

ALTER TABLE access_log$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

ALTER TABLE shoes$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

ALTER TABLE round_figures$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

ALTER TABLE source_hours$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

ALTER TABLE round_spans$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1, merge_with_ttl_timeout = 86400;

-- The leaves of the tree are kept for ever.
ALTER TABLE leaves$local $on_cluster MODIFY SETTING
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
