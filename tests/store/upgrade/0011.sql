-- Rows as version 11 of the schema takes them: leaves of a verdict and of a finding.
INSERT INTO leaves (tree, position, leaf, kind, table, key, chain, at) VALUES
    ('main', 7, unhex(repeat('71', 32)), 'verdict', 'BT1', 'BT1/S1/1/1/34', unhex(repeat('72', 32)), '2026-02-01 00:03:11'),
    ('main', 8, unhex(repeat('73', 32)), 'finding', 'BT1', 'f7/1', unhex(repeat('74', 32)), '2026-02-01 00:03:12');
