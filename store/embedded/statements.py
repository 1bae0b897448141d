"""Just enough SQL to serve it: which statement it is, where an INSERT's data would begin, and what must not pass."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from store.embedded import faults
from store.embedded.faults import ServerError

_TOKEN: Final = re.compile(
    r"""(?P<blank>\s+|--[^\n]*|\#[!\ ][^\n]*|/\*.*?\*/)
    |(?P<string>'(?:[^'\\]|\\.|'')*')
    |(?P<heredoc>\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)
    |(?P<quoted>`(?:[^`\\]|\\.|``)*`|"(?:[^"\\]|\\.|"")*")
    |(?P<word>[^\W\d][\w$]*)
    |(?P<number>\d[\w.]*)
    |(?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED: Final = re.compile(r"\\(.)|(`)`|(\")\"", re.DOTALL)
_IN_STRING: Final = re.compile(r"\\(.)|''", re.DOTALL)
_BACKSLASHED: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "a": "\a", "v": "\v"}
_WITH_RESULT: Final = frozenset(
    {"SELECT", "WITH", "SHOW", "DESCRIBE", "DESC", "EXISTS", "EXPLAIN", "CHECK", "FROM", "(", "VALUES"}
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of SQL and where it stands."""

    kind: str
    text: str
    start: int
    end: int
    depth: int
    """How many parentheses are open around it."""

    @property
    def word(self) -> str:
        """The word in capitals, or the mark; empty for anything quoted."""
        return self.text.upper() if self.kind in ("word", "mark") else ""


@dataclass(frozen=True, slots=True)
class Insert:
    """An INSERT whose data comes over the wire."""

    statement: str
    """Up to its settings, or to where the data, its format or VALUES would stand."""
    settings: str
    """Its SETTINGS clause, or nothing."""
    target: str
    """The table, or the call of a table function, as written."""
    columns: tuple[str, ...] | None
    """The columns named, or None for all."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A query as the engine shall see it."""

    text: str
    keyword: str
    """Its first word, in capitals."""
    insert: Insert | None

    @property
    def has_result(self) -> bool:
        """Whether it answers with columns even when there are no rows."""
        return self.keyword in _WITH_RESULT


def tokens(sql: str) -> Iterator[Token]:
    """The tokens of a text, without blanks and comments."""
    depth = 0
    for found in _TOKEN.finditer(sql):
        kind = found.lastgroup or "mark"
        if kind == "blank":
            continue
        kind = "heredoc" if kind == "tag" else kind
        piece = found.group()
        if kind == "mark" and piece in ")]}":
            depth -= 1
        yield Token(kind, piece, found.start(), found.end(), depth)
        if kind == "mark" and piece in "([{":
            depth += 1


def understand(sql: str) -> Statement:
    """What kind of statement it is. Several in one text are refused, as ClickHouse's own server does."""
    first = next(tokens(sql), None)
    if first is None:
        raise ServerError(faults.SYNTAX_ERROR, "DB::Exception: Empty query. (SYNTAX_ERROR)")
    keyword = first.word
    if keyword == "INSERT":
        insert = _insert(sql)
        if insert is not None:
            return Statement(sql, keyword, insert)
    text = sql.rstrip().rstrip(";").rstrip()
    lowered = text.lower()
    if keyword == "WITH" and "insert" in lowered and any(t.word == "INSERT" and not t.depth for t in tokens(text)):
        keyword = "INSERT"
    if ";" in text or "outfile" in lowered or (keyword != "INSERT" and "format" in lowered):
        text = _checked(text, without_format=keyword != "INSERT")
    return Statement(text, keyword, None)


def assignments(sql: str) -> dict[str, str]:
    """The settings of a SET and their values as written; none for SET ROLE and its like."""
    settings: dict[str, str] = {}
    name = ""
    value: list[Token] = []
    is_value = False
    for token in itertools.chain(itertools.islice(tokens(sql), 1, None), [Token("mark", ",", len(sql), len(sql), 0)]):
        if token.word == "," and not token.depth:
            if value:
                settings[name] = sql[value[0].start : value[-1].end]
            name, value, is_value = "", [], False
        elif is_value:
            value.append(token)
        elif token.word == "=":
            is_value = True
        else:
            name += token.text
    return settings


def quote(value: str) -> str:
    """A string literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def unquote(literal: str) -> str:
    """The text of a string literal; anything else stays as it is."""
    if len(literal) < 2 or literal[0] != "'" or literal[-1] != "'":
        return literal
    return _IN_STRING.sub(lambda found: _BACKSLASHED.get(found[1], found[1]) if found[1] else "'", literal[1:-1])


def quote_name(name: str) -> str:
    """A quoted identifier."""
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def _checked(sql: str, without_format: bool) -> str:
    """Refuses what may not pass, and leaves out a FORMAT clause, which over the wire is the client's affair."""
    all_tokens = list(tokens(sql))
    cut: tuple[int, int] | None = None
    for place, token in enumerate(all_tokens):
        if token.depth:
            continue
        following = all_tokens[place + 1 :][:2]
        if token.word == ";" and following:
            raise ServerError(
                faults.SYNTAX_ERROR, "DB::Exception: Syntax error: Multi-statements are not allowed. (SYNTAX_ERROR)"
            )
        if token.word == "INTO" and following and following[0].word == "OUTFILE":
            raise ServerError(
                faults.NOT_IMPLEMENTED, "DB::Exception: INTO OUTFILE is the client's affair. (NOT_IMPLEMENTED)"
            )
        if (
            without_format
            and token.word == "FORMAT"
            and following
            and following[0].kind == "word"
            and (len(following) == 1 or following[1].word in ("SETTINGS", ";"))
            and place
            and all_tokens[place - 1].word not in ("AS", ",", ".", "SELECT")
        ):
            cut = (token.start, following[0].end)
    if cut is None:
        return sql
    return (sql[: cut[0]] + sql[cut[1] :]).rstrip().rstrip(";")


def _insert(sql: str) -> Insert | None:
    """The parts of an INSERT whose data comes over the wire; None for INSERT ... SELECT and for data in the text."""
    stream = tokens(sql)
    next(stream)
    token = next(stream, None)
    if token is not None and token.word == "INTO":
        token = next(stream, None)
    if token is not None and token.word == "TABLE":
        token = next(stream, None)
    if token is None:
        return None
    is_function = token.word == "FUNCTION"
    if is_function:
        token = next(stream, None)
        if token is None:
            return None
    start, end = token.start, token.end
    columns: list[Token] | None = None
    called = False
    settings_start = cut = len(sql)
    token = next(stream, None)
    while token is not None and (token.word == "." or (sql[end - 1] == "." and token.kind in ("word", "quoted"))):
        end = token.end
        token = next(stream, None)
    while token is not None:
        if token.word == "(" and token.depth == 0:
            inside, token_end = _until_closed(stream)
            if is_function and not called:
                called = True
                end = token_end
            elif columns is None:
                columns = inside
            else:
                return None
        elif token.depth == 0 and token.word == "SETTINGS":
            settings_start = token.start
        elif token.depth == 0 and token.word in ("VALUES", "FORMAT"):
            if token.word == "FORMAT":
                next(stream, None)
            after = next(stream, None)
            if after is not None and after.word != ";":
                return None
            cut = token.start
            break
        elif token.depth == 0 and token.word == "INFILE":
            raise ServerError(
                faults.UNKNOWN_TYPE_OF_QUERY,
                "DB::Exception: FROM INFILE is the client's affair: send the data. (UNKNOWN_TYPE_OF_QUERY)",
            )
        elif token.depth == 0 and token.word in ("SELECT", "WITH", "WATCH", "EXECUTE"):
            return None
        elif token.word == ";":
            cut = token.start
            break
        token = next(stream, None)
    settings_start = min(settings_start, cut)
    return Insert(
        sql[:settings_start].rstrip(),
        sql[settings_start:cut].rstrip(),
        sql[start:end],
        None if columns is None else _column_names(columns),
    )


def _until_closed(stream: Iterator[Token]) -> tuple[list[Token], int]:
    inside: list[Token] = []
    for token in stream:
        if token.word == ")" and token.depth == 0:
            return inside, token.end
        inside.append(token)
    raise ServerError(faults.SYNTAX_ERROR, "DB::Exception: Syntax error: unmatched parentheses. (SYNTAX_ERROR)")


def _column_names(inside: list[Token]) -> tuple[str, ...]:
    names: list[str] = []
    current = ""
    for token in inside:
        if token.word == ",":
            names.append(current)
            current = ""
        elif token.kind == "word" or token.word == ".":
            current += token.text
        elif token.kind == "quoted":
            current += _ESCAPED.sub(lambda found: found[1] or found[2] or found[3], token.text[1:-1])
        else:
            raise ServerError(
                faults.NOT_IMPLEMENTED,
                "DB::Exception: the embedded server takes plain column names in an INSERT. (NOT_IMPLEMENTED)",
            )
    if current:
        names.append(current)
    return tuple(names)
