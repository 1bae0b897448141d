"""Checks an evidence bundle: python verify.py [case.zip or folder] [--trust KEY]. Needs Python 3.9, and nothing else.

It goes into every bundle as verify.py. It checks that no file was changed; that the events and verdicts are those that
were sealed under the signed checkpoint; the signature; that no event is missing that the verdict rests on; and that the
outcome and the money follow from the cards and the rules in the bundle. Exit code 0: all is right, 1: something is not,
2: there is no bundle.

It is one long file, with signatures, proofs and rules side by side, because a stranger runs it alone: it may import
nothing but Python's own library, and should be readable from top to bottom by whoever has to trust it.
"""

# ruff: noqa: UP006, UP035, UP045, B905
# Written for Python 3.9, which the newer forms of types and of zip would shut out.

import base64
import hashlib
import io
import json
import sys
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any, Dict, FrozenSet, List, Optional, Sequence, Tuple

Json = Any
Files = Dict[str, bytes]
Point = Tuple[int, int, int, int]

MANIFEST = "manifest.txt"


class Wrong(Exception):
    """Something is not as it should be."""


# Ed25519 (RFC 8032), as far as a check of signatures needs it.

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def _add(one: Point, two: Point) -> Point:
    a = (one[1] - one[0]) * (two[1] - two[0]) % P
    b = (one[1] + one[0]) * (two[1] + two[0]) % P
    c = 2 * one[3] * two[3] * D % P
    d = 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(number: int, point: Point) -> Point:
    total = (0, 1, 1, 0)
    while number:
        if number & 1:
            total = _add(total, point)
        point = _add(point, point)
        number >>= 1
    return total


def _same(one: Point, two: Point) -> bool:
    return (one[0] * two[2] - two[0] * one[2]) % P == 0 and (one[1] * two[2] - two[1] * one[2]) % P == 0


def _point(data: bytes) -> Point:
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        raise Wrong("a key or signature is no point of the curve")
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        raise Wrong("a key or signature is no point of the curve")
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


_BASE = _point(bytes([0x58] + [0x66] * 31))


def signed(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether this is the key's signature of the message."""
    if len(public) != 32 or len(signature) != 64:
        return False
    try:
        key, nonce = _point(public), _point(signature[:32])
    except Wrong:
        return False
    scalar = int.from_bytes(signature[32:], "little")
    if scalar >= L:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    return _same(_times(scalar, _BASE), _add(nonce, _times(challenge, key)))


# RFC 6962: leaves, nodes and the way from a leaf to the root (RFC 9162, 2.1.3.2).


def leaf_hash(content: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + content).digest()


def root_from(leaf: bytes, index: int, size: int, path: List[bytes]) -> bytes:
    place, last, found = index, size - 1, leaf
    for step in path:
        if last == 0:
            raise Wrong("its proof is too long")
        if place & 1 or place == last:
            found = hashlib.sha256(b"\x01" + step + found).digest()
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = hashlib.sha256(b"\x01" + found + step).digest()
        place, last = place >> 1, last >> 1
    if last:
        raise Wrong("its proof is too short")
    return found


# The files.


def read_files(where: Path) -> Files:
    """The files of a bundle by name, from the archive or from a folder that it was unpacked into."""
    if where.is_dir():
        names = [path for path in sorted(where.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
        return {path.relative_to(where).as_posix(): path.read_bytes() for path in names}
    data = where.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = {}
            for info in archive.infolist():
                try:
                    files[info.filename] = archive.read(info)
                except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError) as error:
                    raise Wrong(f"{info.filename}: changed ({error})") from error
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, UnicodeDecodeError) as error:
        raise Wrong(f"{where.name}: the archive itself is damaged ({error})") from error
    return files


def pack(files: Files) -> bytes:
    """The archive of these files: the same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.create_system = 3
            info.external_attr = 0o100644 << 16
            archive.writestr(info, files[name])
    return out.getvalue()


def manifest_of(files: Files) -> bytes:
    """A line for each file with its SHA-256, and one for the lines themselves."""
    lines = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return (lines + f"{hashlib.sha256(lines.encode()).hexdigest()}  {MANIFEST}\n").encode()


def check_files(files: Files, where: Path) -> None:
    """Every file is the one that was packed."""
    if MANIFEST not in files:
        raise Wrong(f"{MANIFEST}: is not there")
    try:
        lines = files[MANIFEST].decode("utf-8").splitlines(keepends=True)
        own = lines[-1].split()[0]
        listed = {line.split("  ", 1)[1].rstrip("\n"): line.split("  ", 1)[0] for line in lines[:-1]}
    except (UnicodeDecodeError, IndexError) as error:
        raise Wrong(f"{MANIFEST}: changed") from error
    if hashlib.sha256("".join(lines[:-1]).encode()).hexdigest() != own or lines[-1] != f"{own}  {MANIFEST}\n":
        raise Wrong(f"{MANIFEST}: changed")
    wrong = [f"{name}: is not there" for name in listed if name not in files]
    beside = [name for name in files if name not in listed and name != MANIFEST]
    wrong += [f"{name}: was not packed" for name in beside]
    wrong += [
        f"{name}: changed"
        for name, digest in listed.items()
        if name in files and hashlib.sha256(files[name]).hexdigest() != digest
    ]
    if wrong and len(wrong) == len(beside) and where.is_dir():
        raise Wrong("; ".join(sorted(wrong)) + "; the rest is as it was packed: unpack the bundle into an empty folder")
    if wrong:
        raise Wrong("; ".join(sorted(wrong)))
    if where.is_file() and pack(files) != where.read_bytes():
        raise Wrong(f"{where.name}: the archive itself was changed, around its files")


# The proofs.


def check_keys(keys: List[Json], trusted: FrozenSet[str]) -> Dict[str, bytes]:
    """Every key but the first is vouched for by the one before it; gives them by name."""
    found: Dict[str, bytes] = {}
    for key in keys:
        public = base64.b64decode(key["public_key"])
        name = hashlib.sha256(public).hexdigest()[:16]
        if name != key["key_id"]:
            raise Wrong("key {} is not what its name says".format(key["key_id"]))
        if found and name not in trusted:
            before = found.get(key["previous"])
            voucher = base64.b64decode(key["voucher"])
            if before is None or not signed(before, b"tablewatch key\n" + public, voucher):
                raise Wrong(f"nobody vouches for key {name}; if its owner told you its name, add --trust {name}")
        found[name] = public
    if trusted and not trusted & set(found):
        raise Wrong("no key of the bundle is the one that you trust")
    return found


def check_proof(proof: Json, trusted: FrozenSet[str]) -> List[Json]:
    """The rows are under the checkpoint, and the checkpoint is signed; gives the rows."""
    checkpoint = proof["checkpoint"]
    keys = check_keys(proof["keys"], trusted)
    public = keys.get(checkpoint["key_id"])
    note, signature = checkpoint["note"], base64.b64decode(checkpoint["signature"])
    if public is None or not signed(public, note.encode(), signature):
        raise Wrong("the checkpoint is forged: its signature is not that of key {}".format(checkpoint["key_id"]))
    said = note.split("\n")
    root = base64.b64decode(said[2])
    if said[1] != str(checkpoint["size"]) or root.hex() != checkpoint["root"]:
        raise Wrong("the checkpoint is forged: its note says another size or root")
    rows = []
    for row in proof["rows"]:
        content = row["content"].encode()
        leaf = leaf_hash(content)
        path = [bytes.fromhex(step) for step in row["path"]]
        if leaf.hex() != row["leaf"] or root_from(leaf, row["position"], checkpoint["size"], path) != root:
            raise Wrong(f"leaf {row['position']} is not under the checkpoint")
        rows.append(json.loads(content))
    return rows


def events_in(file: bytes) -> List[bytes]:
    """The events of a file, one a line; what has a line end in itself stands in base64."""
    mark = b"base64:"
    lines = file.split(b"\n")[:-1]
    return [base64.b64decode(line[len(mark) :]) if line.startswith(mark) else line for line in lines]


def check_sealed(rows: List[Json], name: str, files: Files, about: Json) -> None:
    """The events and verdicts of the bundle are those of the sealed rows."""
    sealed = {digest for row in rows if row["kind"] == "record" for digest in row["row"]["said"]}
    for file in sorted(files):
        if not file.startswith(name + "/") or not file.endswith(".jsonl"):
            continue
        for number, line in enumerate(events_in(files[file]), start=1):
            if hashlib.sha256(line).hexdigest() not in sealed:
                raise Wrong(f"{file}: line {number} is no event that was sealed")
    verdicts = {row["row"]["verdict"] for row in rows if row["kind"] == "verdict"}
    shown = [file for file in files if file.startswith(name + "/verdicts/")]
    for file in shown:
        if hashlib.sha256(files[file]).hexdigest() not in verdicts:
            raise Wrong(f"{file}: no verdict that was sealed")
    if len(shown) != len(verdicts):
        raise Wrong(f"{name}: {len(verdicts)} verdicts are sealed and {len(shown)} are here")
    key = "/".join(str(about[part]).replace("%", "%25").replace("/", "%2F") for part in ("table", "shoe", "round"))
    if not all(row["key"].startswith(key + "/") for row in rows if row["kind"] == "verdict"):
        raise Wrong(f"{name}: the verdicts are those of another round")


# What the verdict rests on.


def says(event: object, fact: object) -> bool:
    """Whether an event says all that a fact does; it may say more, which has no effect."""
    if isinstance(fact, dict):
        return isinstance(event, dict) and all(key in event and says(event[key], fact[key]) for key in fact)
    if isinstance(fact, list):
        return isinstance(event, list) and len(event) == len(fact) and all(map(says, event, fact))
    return event == fact


def resting_on(written: bytes, verdict: Json, events: List[Json], around: List[Json]) -> Tuple[List[Json], List[str]]:
    """The events that the verdict rests on, all of which must be here; and what else is here, in words."""
    if hashlib.sha256(written).hexdigest() != verdict["digest"]:
        raise Wrong("facts.json is not what the verdict rests on")
    facts = json.loads(written)
    here = {(event["source"], event["id"]): event for event in events}
    found = []
    for fact in facts["events"]:
        name = fact["source"], fact["id"]
        if name not in here:
            raise Wrong("events.jsonl: the verdict rests on an event that is not here, {} id {}".format(*name))
        if not says(here[name], fact):
            raise Wrong("events.jsonl: the verdict rests on something else that {} said under id {}".format(*name))
        found.append(here.pop(name))
    for part in ("configuration", "shoe"):
        if facts[part] is not None and not any(says(event, facts[part]) for event in around):
            raise Wrong(f"surroundings.jsonl: the {part} that the verdict rests on is not here")
    return found, ["the verdict does not rest on what {} said under id {}".format(*name) for name in here]


# The outcome.


def counting(lines: List[bytes]) -> List[Json]:
    """The events that count: each once, and none of those that came with two contents under one name."""
    found: Dict[Tuple[str, str], List[Json]] = {}
    for line in lines:
        event = json.loads(line)
        said = found.setdefault((event["source"], event["id"]), [])
        if event not in said:
            said.append(event)
    return [said[0] for said in found.values() if len(said) == 1]


def cards_of(events: List[Json]) -> Optional[List[str]]:
    """The cards in the order that counts, by draw; None where it is not clear which they were."""
    read: Dict[int, set] = {}  # type: ignore[type-arg]  # of cards
    rulings = []
    for event in events:
        data = event["data"]
        if event["type"] == "card.drawn.v1":
            read.setdefault(data["draw"], set()).add(data["card"])
        elif event["type"] == "ruling.made.v1":
            rulings.append(data)
    replaced = {data["draw"]: data["card"] for data in rulings if data["ruling"] == "replacement-card"}
    orders = [data["order"] for data in rulings if data["ruling"] == "reconstructed"]
    if any(len(cards) > 1 and draw not in replaced for draw, cards in read.items()):
        return None
    cards = {draw: min(found) for draw, found in read.items()}
    cards.update(replaced)
    if sorted(cards) != list(range(1, len(cards) + 1)):
        return None
    order = list(dict.fromkeys(orders[-1])) if orders else []
    if any(draw not in cards for draw in order):
        return None
    return [cards[draw] for draw in order + sorted(set(cards) - set(order))]


def shape(hand: List[str], total: int, rules: Json) -> Json:
    """What a paytable asks of one hand."""
    first, second = hand[:2]
    pair, gold = "", False
    if first[:-1] == second[:-1]:
        pair, gold = first[:-1], first == second and first[-1] == "G"
    elif rules["readings"]["pair"] == "literal" and _ten_with_picture(first[:-1], second[:-1]):
        pair = "".join(sorted((first[:-1], second[:-1])))
    return {"total": total, "cards": len(hand), "pair": pair, "gold": gold}


def _ten_with_picture(one: str, two: str) -> bool:
    pictures = set("JQKSLF")
    return (one == "10" and two in pictures) or (two == "10" and one in pictures)


def deal(cards: List[str], rules: Json) -> Optional[Tuple[List[List[str]], List[int]]]:
    """The two hands and their totals, by the Table of Play; None where cards are missing."""
    if rules["hands"] == ["dragon", "tiger"]:
        if len(cards) < 2:
            return None
        ranks = rules["ranks"]
        return [cards[:1], cards[1:2]], [ranks.index(card[:-1]) + 1 for card in cards[:2]]
    if len(cards) < 4:
        return None
    points, play = rules["points"], rules["table_of_play"]
    player, banker, rest = [cards[0], cards[2]], [cards[1], cards[3]], list(cards[4:])
    totals = [sum(points[card[:-1]] for card in hand) % 10 for hand in (player, banker)]
    if max(totals) < play["natural"]:
        third = None
        if totals[0] < play["player_stands"]:
            if not rest:
                return None
            third = rest.pop(0)
            player.append(third)
        if third is None:
            draws = totals[1] <= play["banker_draws_alone"]
        else:
            draws = points[third[:-1]] in play["banker_draws"][totals[1]]
        if draws:
            if not rest:
                return None
            banker.append(rest.pop(0))
    return [player, banker], [sum(points[card[:-1]] for card in hand) % 10 for hand in (player, banker)]


def features_of(hands: List[List[str]], totals: List[int], rules: Json) -> Json:
    """What the paytable asks of a finished round."""
    first, second = rules["hands"]
    winner = "tie" if totals[0] == totals[1] else first if totals[0] > totals[1] else second
    found = {"winner": winner, first + "_total": totals[0], second + "_total": totals[1]}
    if first == "dragon":
        return found
    one, two = (shape(hand, total, rules) for hand, total in zip(hands, totals))
    naturals = [each["cards"] == 2 and each["total"] >= rules["table_of_play"]["natural"] for each in (one, two)]
    found.update(
        {
            "margin": abs(totals[0] - totals[1]),
            "player_cards": one["cards"],
            "banker_cards": two["cards"],
            "cards": one["cards"] + two["cards"],
            "player_natural": naturals[0],
            "banker_natural": naturals[1],
            "natural_tie": all(naturals) and (rules["readings"]["natural_tie"] == "each-natural" or winner == "tie"),
            "player_pair": one["pair"] != "",
            "banker_pair": two["pair"] != "",
            "player_pair_rank": one["pair"],
            "banker_pair_rank": two["pair"],
            "player_gold_pair": one["gold"],
            "banker_gold_pair": two["gold"],
            "any_pair": one["pair"] != "" or two["pair"] != "",
            "both_pairs": one["pair"] != "" and two["pair"] != "",
        }
    )
    ranks = [{card[:-1] for card in hand[:2]} for hand in hands]
    alike = all(a == b or _ten_with_picture(a, b) for a in ranks[0] for b in ranks[1])
    found["same_pair"] = found["both_pairs"] and alike
    return found


def net_of(wager: Json, features: Json) -> Fraction:
    """Net win or loss for each unit staked."""
    test = {"=": lambda a, b: a == b, ">=": lambda a, b: a >= b, "<=": lambda a, b: a <= b}
    paid = []
    for line in wager["lines"]:
        if all(test[operator](features[feature], value) for feature, operator, value in line["when"]):
            paid.append(Fraction(line["net"]))
            if not wager["cumulative"]:
                break
    return sum(paid, Fraction(0)) if paid else Fraction(-1)


def check_outcome(verdict: Json, events: List[Json], rules: Json, limits: Json) -> List[str]:
    """The outcome and the money of the verdict follow from the cards and the rules; gives what was not decided here."""
    left = []
    cards = cards_of(events)
    dealt = None if cards is None or any(card not in rules["deck"] for card in cards) else deal(cards, rules)
    said = verdict["outcome"]
    if said is None:
        if dealt is not None:
            left.append("the verdict has no outcome: which cards count, or the shoe, is not clear to the judge")
        return left
    if dealt is None:
        raise Wrong("the verdict has an outcome, and its cards give none")
    hands, totals = dealt
    shown = [rules["ranks"][total - 1] for total in totals] if rules["hands"][0] == "dragon" else totals
    features = features_of(hands, totals, rules)
    if features["winner"] != said["winner"] or [said["totals"][hand] for hand in rules["hands"]] != shown:
        raise Wrong(
            "the winner is {} with {}, and the verdict says {}".format(features["winner"], shown, said["winner"])
        )
    if [list(said["hands"][hand]) for hand in rules["hands"]] != hands:
        raise Wrong("the hands of the verdict are not those of the cards")
    codes = {finding["code"] for finding in verdict["findings"]}
    void = verdict["status"] == "void" or "void-required" in codes
    for bet in verdict["bets"]:
        due = bet["expected"]
        if due is None:
            left.append("bet {}: the verdict does not say what is due".format(bet["bet"]))
            continue
        amounts = Fraction(due["paid"]), Fraction(due["collected"])
        stake, wager = int(bet["stake"]), rules["wagers"].get(bet["wager"])
        nothing = (Fraction(0), Fraction(0))
        limit = limits.get(bet["wager"]) if rules["limits_settle"] else None
        returned = limit is not None and stake < limit["min"]
        if limit is not None:
            stake = min(stake, limit["max"])
        net = nothing[0] if wager is None or void else net_of(wager, features) * stake
        right = (net, Fraction(0)) if net > 0 else (Fraction(0), -net)
        if amounts != right and not (amounts == nothing and (returned or verdict["status"] == "unverifiable")):
            raise Wrong(f"bet {bet['bet']} is due {right[0]} and loses {right[1]}, and the verdict says otherwise")
    return left


def check_round(name: str, files: Files, trusted: FrozenSet[str]) -> Tuple[str, List[str]]:
    """One round of the bundle; gives what was checked and what was left out."""
    about = json.loads(files[name + "/round.json"])
    proof = json.loads(files[name + "/proof.json"])
    rows = check_proof(proof, trusted)
    check_sealed(rows, name, files, about)
    last = sorted(file for file in files if file.startswith(name + "/verdicts/"))[-1]
    verdict = json.loads(files[last])
    around = [json.loads(line) for line in events_in(files[name + "/surroundings.jsonl"])]
    if name + "/facts.json" not in files:
        raise Wrong("facts.json is not here: whether events are missing cannot be told")
    events, left = resting_on(
        files[name + "/facts.json"], verdict, counting(events_in(files[name + "/events.jsonl"])), around
    )
    rules = json.loads(files[name + "/rules.json"])
    if rules["game"] is not None:
        limits = {}
        for event in around:
            if event["type"] == "table.configured.v1":
                limits = event["data"]["limits"]
        left += check_outcome(verdict, events, rules, limits)
    note = proof["checkpoint"]["note"].split("\n")
    where = "/".join(str(about[part]) for part in ("table", "shoe", "round"))
    sealed = f"sealed {note[3].replace('time ', 'by ')}, key {proof['checkpoint']['key_id']}"
    told = f"{where}: {len(events)} events, {verdict['status']}; {sealed}"
    return told, left


def check_rounds(files: Files, trusted: FrozenSet[str] = frozenset()) -> Tuple[List[str], bool]:
    """All that the files of a bundle say of its rounds; gives the lines to print and whether all is right."""
    lines = []
    names = sorted({file.rpartition("/")[0] for file in files if file.endswith("/round.json")})
    if not names:
        return ["WRONG  there is no round in it"], False
    right = True
    for name in names:
        try:
            told, left = check_round(name, files, trusted)
            lines.append(f"right  {told}")
            lines.extend(f"note   {name}: {words}" for words in left)
        except Wrong as error:
            lines.append(f"WRONG  {name}: {error}")
            right = False
        except (KeyError, ValueError, IndexError, TypeError) as error:
            missing = str(error.args[0]) if isinstance(error, KeyError) else ""
            says = f"{missing}: is not there" if missing.startswith(f"{name}/") else ""
            lines.append(f"WRONG  {says or f'{name}: cannot be read ({type(error).__name__}: {error})'}")
            right = False
    return lines, right


def check(where: Path, trusted: FrozenSet[str] = frozenset()) -> Tuple[List[str], bool]:
    """The whole bundle; gives the lines to print and whether all is right."""
    lines = []
    try:
        files = read_files(where)
        check_files(files, where)
    except Wrong as error:
        return [f"WRONG  {error}"], False
    lines.append(f"right  {len(files)} files are as they were packed")
    told, right = check_rounds(files, trusted)
    return lines + told, right


USAGE = """usage: python verify.py [case.zip or folder] [--trust KEY]

Checks an evidence bundle: the one named, or else the folder that this file is in.
--trust KEY   believe this key, whose name its owner told you by another way; may be repeated
Exit code 0: all is right, 1: something is not, 2: there is no bundle.
"""


def main(arguments: Sequence[str]) -> int:
    trusted, places = set(), []
    arguments = list(arguments)
    if "--help" in arguments or "-h" in arguments:
        sys.stdout.write(USAGE)
        return 0
    while arguments:
        each = arguments.pop(0)
        if each == "--trust" and arguments:
            trusted.add(arguments.pop(0))
        else:
            places.append(each)
    where = Path(places[0]) if places else Path(__file__).resolve().parent
    if not where.exists():
        sys.stdout.write(f"{where}: is not there\n")
        return 2
    if len(places) > 1:
        sys.stdout.write(USAGE)
        return 2
    lines, right = check(where, frozenset(trusted))
    sys.stdout.write("\n".join(lines) + "\n")
    if right and not trusted:
        sys.stdout.write("Ask the casino for the name of its key, by another way, and compare it with the one above.\n")
    sys.stdout.write("All is right.\n" if right else "Not all is right.\n")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
