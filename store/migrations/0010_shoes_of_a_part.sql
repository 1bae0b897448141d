-- A round is looked for in every part that may hold it. A part keeps all tables of its hours, so the first column of the
-- key rules none out, and to find the round not there the engine opens four files of each: with fourteen parts of an
-- open month, or fourteen months of one part, that takes longer than all the rest of the question.
--
-- Which shoes a granule holds is kept beside it, in a few bytes, and tells nearly every part that holds another shoe.
-- It may say yes where the answer is no, and never no where it is yes. What is stored already gets it too, in the
-- background: the column of the shoes alone is read for it.

ALTER TABLE verdicts$local $on_cluster ADD INDEX IF NOT EXISTS shoe_index shoe TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE verdicts$local $on_cluster MATERIALIZE INDEX shoe_index;

ALTER TABLE events$local $on_cluster ADD INDEX IF NOT EXISTS shoe_index shoe TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE events$local $on_cluster MATERIALIZE INDEX shoe_index;
