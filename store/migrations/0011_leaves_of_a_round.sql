-- Who proves a round asks for the leaves of its table from then until now: years of leaves of all tables, in their order
-- in the tree. Beside each granule of them is kept from when to when its rows are, and what it is about: rounds and
-- findings by their names, and tables that had a finding. Most leaves are of records, and add nothing to the second.
-- What is stored already gets both in the background.

ALTER TABLE leaves$local $on_cluster ADD INDEX IF NOT EXISTS at_index at TYPE minmax GRANULARITY 1;

ALTER TABLE leaves$local $on_cluster MATERIALIZE INDEX at_index;

ALTER TABLE leaves$local $on_cluster ADD INDEX IF NOT EXISTS about_index
    [if(kind = 'finding', substringIndex(key, '/', 1), ''), if(kind = 'finding', toString(table), ''), if(kind = 'record', '', substringIndex(key, '/', 3))]
    TYPE bloom_filter(0.001) GRANULARITY 1;

ALTER TABLE leaves$local $on_cluster MATERIALIZE INDEX about_index;
