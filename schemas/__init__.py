"""The contract as code: events, verdicts, findings, topics, and how a record is decoded. Knows games alone.

Where to look
-------------
``words``           the words and bounds: cards, wagers, roles, money, times
``payloads``        what each event says; ``events`` the envelopes around it and their union
``decoding``        bytes to events; ``reasons`` why not, in plain words; ``repeated_names`` fields named twice
``identity``        the canonical bytes by which a repeat is told from a conflict
``topics``          which topic and partition an event belongs to, and who may write there
``findings``        ``verdicts`` ``rejections``: what comes out
``json_schemas``    ``asyncapi``: the same for other systems; ``python -m schemas.generate`` writes ``generated/``

What the contract leaves open, and what is done here
----------------------------------------------------
*Numbers.* 5.0 is not an integer, nor is true. Every integer ends at 2^53-1, the largest that all JSON readers hold
exactly. ``max_wagers_per_area`` may be 0; in a ``wagers-restricted`` ruling it is never null.

*Times.* Days that the calendar has, years 0001 to 9999. Second 60 is refused: the clocks of tables do not count leap
seconds, and a time that no two systems agree on is worse than a rejected event. ``24:00:00`` is refused too.

*Null and absent.* An optional field may be missing; it is never null, ``datacontenttype`` and ``dataschema`` included.
These two have no effect on whether two events are the same. A field with its default value (``mode``: ``live``) is the
same as an absent one.

*Lists.* May be empty, and may repeat an item; so may ``limits`` be, and its ``min`` may be above its ``max``. Whether
that makes sense at a table is judged, not decoded. The same goes for a hand that the game does not have in ``totals``,
a point total where a rank belongs, a card of the wrong deck and a wager of another game.

*Strings.* Any character, control characters included, written as JSON asks; half a surrogate pair is none.

*Fields named twice.* Rejected: two readers could see two different events. So is a byte order mark, but for the one
that a file may begin with, which is no part of its first line.

*Records.* An array without an object is rejected as one: it holds no event. An array that is not JSON only because of
one of its items is taken apart all the same when its brackets, commas and quotes can be told; otherwise it is rejected
whole, as what is cut off is. A record or line over 16 MiB is refused unparsed, so is an event over 1 MiB; an array of
more items than events could fit into a record is refused whole. Blank lines of a file are skipped; an array on a line
is a batch.

*Rejected events.* ``source``, ``subject`` and ``sequence`` count as read where the bytes are a JSON object and the
field by itself is as it should be. NaN and half a surrogate pair elsewhere in the event do not hinder reading them.
Bytes are compared without white space around them.
"""
