-- Rows as version 7 of the schema takes them: the root of a subtree, and a public key.
INSERT INTO tree_nodes (tree, level, place, hash) VALUES ('main', 8, 0, unhex('ab'));

INSERT INTO signing_keys (key_id, public_key, made, by, previous, voucher) VALUES
    ('00112233445566aa', unhex('cd'), '2026-02-01 00:00:00', 'otto', '', '');
