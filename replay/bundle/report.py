"""The report of a bundle for people: one page without anything from elsewhere, that prints well."""

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any

from replay.bundle.pictures import hands_picture, roads_picture, timeline_picture
from replay.chain.prove import RoundProof
from replay.roads import Roads
from replay.story import Story
from schemas.findings import Finding
from schemas.money import amount_words
from schemas.sentences import sentence_in

_STYLE = """
body{font:15px/1.45 system-ui,sans-serif;color:#1b1b1b;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.3rem;margin-top:2.4rem;border-bottom:2px solid #1b1b1b}h3{font-size:1.05rem}
h3{margin:1.6rem 0 .5rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{border:1px solid #ccc;padding:.3rem .5rem;text-align:left}
th{background:#f2f2f2}.said th{width:11rem;font-weight:600}
.bets td:nth-child(n+4),.bets th:nth-child(n+4){text-align:right;font-variant-numeric:tabular-nums}
.rounds{columns:3;font-size:.9rem}.status{font-weight:700}.wrong{color:#b3261e}.small{font-size:.8rem;color:#555;overflow-wrap:anywhere}
svg{display:block;max-width:100%;height:auto;margin:.8rem 0}svg .name{font-weight:600;font-size:13px}
@media print{body{margin:0;max-width:none}h2,h3{break-after:avoid}.rounds{columns:2}
tr,svg{break-inside:avoid}section{break-before:page}
section:first-of-type{break-before:auto}}
"""

_NAMED = 3
"""So many rounds are named in the title."""


def report_page(names: Sequence[str], rounds: Sequence[str]) -> bytes:
    """The page around the reports of the rounds of these names; of many, a list of them comes first."""
    title = f"Evidence: {', '.join(names) if len(names) <= _NAMED else f'{len(names)} rounds'}"
    listed = "".join(f'<li><a href="#{escape(name)}">{escape(name)}</a></li>' for name in names)
    contents = f'<ul class="rounds">{listed}</ul>' if len(names) > 1 else ""
    how = (
        "This page tells what the files of the bundle say. Run <code>python verify.py</code> in the bundle, unpacked"
        " into an empty folder, to check that no file was changed, that events and verdicts are those that were sealed,"
        " and that outcome and money follow from the cards."
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width"><style>'
        f"{_STYLE}</style></head><body><h1>{escape(title)}</h1><p>{how}</p>{contents}{''.join(rounds)}</body></html>\n"
    ).encode()


def round_report(
    story: Story, roads: Roads, proof: RoundProof, clauses: Sequence[dict[str, str]], clocks: dict[str, Any]
) -> str:
    """The report of one round."""
    verdict = story.verdict
    name = escape(f"{story.table}/{story.shoe}/{story.round}")
    parts = [f'<section id="{name}"><h2>Round {name}</h2>', _summary(story)]
    if verdict is not None and verdict.outcome is not None:
        parts.append(hands_picture(verdict.outcome.hands, verdict.outcome.totals))
    parts += ["<h3>What happened</h3>", timeline_picture(story), _moments(story)]
    parts += ["<h3>Bets</h3>", _bets(story), "<h3>Findings</h3>", _findings(story)]
    parts += ["<h3>The shoe up to this round</h3>", roads_picture(roads, story.round)]
    parts += [
        "<h3>Rules in force</h3>",
        _rules(story, clauses),
        "<h3>Devices, clocks and cameras</h3>",
        _clocks(clocks),
    ]
    parts += ["<h3>Seal</h3>", _seal(proof), "</section>"]
    return "".join(parts)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], name: str = "") -> str:
    if not rows:
        return "<p>None.</p>"
    head = "".join(f"<th>{each}</th>" for each in heads)
    body = "".join("<tr>" + "".join(f"<td>{each}</td>" for each in row) + "</tr>" for row in rows)
    called = f' class="{name}"' if name else ""
    return f"<table{called}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _summary(story: Story) -> str:
    rows = [
        ("Game", story.title or "not known"),
        ("Began", _time(story.began)),
        ("Ended", _time(story.ended)),
        ("Outcome", story.outcome or "the facts do not suffice"),
        ("Status", f"{story.status or 'open'}, revision {story.revision}, judge {story.judge}"),
        ("Dealer", story.dealer or "not reported"),
        ("Pit", story.pit or "not reported"),
        ("Decks", str(story.decks or "not known")),
        ("Amounts in", story.currency or "a currency that is not known"),
        ("Cameras", ", ".join(story.cameras) or "none configured"),
        ("Digest of the facts", story.digest or ""),
    ]
    body = "".join(f"<tr><th>{name}</th><td{_shade(name, story)}>{escape(value)}</td></tr>" for name, value in rows)
    return f'<table class="said"><tbody>{body}</tbody></table>'


def _shade(name: str, story: Story) -> str:
    if name != "Status":
        return ""
    return ' class="status wrong"' if story.status in ("flagged", "unverifiable") else ' class="status"'


def _moments(story: Story) -> str:
    rows = []
    for moment in story.moments:
        words = escape(moment.words)
        if moment.reason is not None:
            words += f'<div class="small">{escape(moment.reason.words)}</div>'
        words += "".join(f'<div class="wrong">{escape(_sentence(each, story))}</div>' for each in moment.findings)
        rows.append((_time(moment.at), words, f'<span class="small">{escape(moment.source)}</span>'))
    return _table(("Time (UTC)", "What", "Said by"), rows)


def _bets(story: Story) -> str:
    rows = []
    for line in story.bets:
        bet = line.bet
        due = "cannot be said" if bet.expected is None else _money(bet.expected.paid, bet.expected.collected, story)
        was = "not settled" if bet.actual is None else _money(bet.actual.paid, bet.actual.collected, story)
        player = bet.player or f"position {bet.position}"
        stake = amount_words(bet.stake, story.currency)
        rows.append([escape(each) for each in (bet.bet, player, line.title, stake, due, was)])
    return _table(("Bet", "Player", "Wager", "Stands", "Due", "Settled"), rows, "bets")


def _money(paid: Any, collected: Any, story: Story) -> str:
    if paid:
        return f"paid {amount_words(paid, story.currency)}"
    return f"collected {amount_words(collected, story.currency)}" if collected else "nothing moves"


def _sentence(finding: Finding, story: Story) -> str:
    return sentence_in(story.currency, finding.code, finding.message)


def _findings(story: Story) -> str:
    rows = [
        [escape(each) for each in (finding.code, finding.severity, finding.rule or "", _sentence(finding, story))]
        for finding in story.findings
    ]
    return _table(("Code", "Severity", "Rule", "Finding"), rows)


def _rules(story: Story, clauses: Sequence[dict[str, str]]) -> str:
    head = f"<p>{escape(story.document_title or 'Not known')}, in force from {escape(story.in_force or '')}.</p>"
    rows = [[escape(each["document"]), escape(each["clause"]), escape(each["subject"])] for each in clauses]
    return head + _table(("Document", "Clause", "About"), rows)


def _clocks(clocks: dict[str, Any]) -> str:
    rows = []
    for source, said in clocks["devices"].items():
        beats = said["heartbeats"]
        off = ", ".join(f"{each['off_ms']} ms" for each in beats[:6]) or "no heartbeat near the round"
        sequences = f"{said['first_sequence']} to {said['last_sequence']}"
        delay = f"{said['least_delay_ms']} to {said['most_delay_ms']} ms"
        rows.append([escape(each) for each in (source, str(said["events"]), sequences, delay, off)])
    heads = ("Device", "Events", "Sequence", "From its clock to the log", "Its clock against the collector's")
    return _table(heads, rows)


def _seal(proof: RoundProof) -> str:
    checkpoint = proof.checkpoint
    return (
        f"<p>{len(proof.rows)} rows under the checkpoint of {checkpoint.size} leaves, signed with key"
        f" {escape(checkpoint.key_id)}.</p><pre class='small'>{escape(checkpoint.note)}</pre>"
    )


def _time(micros: int) -> str:
    moment = datetime.fromtimestamp(micros // 1_000_000, UTC)
    return moment.strftime("%Y-%m-%d %H:%M:%S") + f".{micros % 1_000_000:06d}"[:4]
