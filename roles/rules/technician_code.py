"""The scripts of the Technician's rules policy. Names in capitals stand for literals that are written above the code."""

LINES = """\
def lines(path):
    text = Path(path).read_text()
    return text.split("\\n")[: -1 if text.endswith("\\n") else None] if text else []

"""
_COUNT_LINES = """\
print(sum(1 for line in lines(FILE) if WORD in line))
"""
_COUNT_WORDS = """\
print(sum(len(line.split()) for line in lines(FILE) if WORD in line))
"""
_COUNT_CHARACTERS = """\
print(sum(len(line) + 1 for line in lines(FILE) if WORD in line))
"""
_COUNT_FILES = """\
print(sum(1 for path in Path(FOLDER).iterdir() if path.is_file()))
"""
_LIST = """\
print("\\n".join(sorted(path.name for path in Path(FOLDER).iterdir() if path.is_file())))
"""
_UNIQUE = """\
kept = dict.fromkeys(lines(FILE))
Path(FILE).write_text("".join(line + "\\n" for line in kept))
"""
_SORT = """\
ordered = sorted(lines(FILE), key=str.casefold, reverse=DOWN)
Path(TO).write_text("".join(line + "\\n" for line in ordered))
"""
_SORT_BY_NUMBER = """\
import re

def number(line):
    found = re.search(r"-?\\d+(?:\\.\\d+)?", line)
    return float(found[0]) if found else float("inf")

ordered = sorted(lines(FILE), key=number, reverse=DOWN)
Path(TO).write_text("".join(line + "\\n" for line in ordered))
"""
_RENAME = """\
for old, new in PAIRS:
    if Path(new).exists():
        raise SystemExit("there is already a file called " + new)
    Path(old).rename(new)
"""
_FIND = """\
found = [path for path in Path(FOLDER).rglob("*") if path.is_file() and WORD in path.read_text()]
print("\\n".join(sorted("/" + str(path) for path in found)))
"""
_JOIN = """\
Path(TO).write_text("".join(line + "\\n" for path in FILES for line in lines(path)))
"""
_GATHER = """\
Path(TO).mkdir(exist_ok=True)
for path in sorted(Path(FOLDER).iterdir()):
    if path.is_file() and (path.name.endswith(WORD) if AT_END else path.name.startswith(WORD)):
        new = Path(TO) / path.name
        if new.exists():
            raise SystemExit("there is already a file called " + str(new))
        path.rename(new)
"""
_LOOKUP = """\
import re

values = {}
for path in sorted(Path(FOLDER).rglob("*")):
    for line in lines(path) if path.is_file() else []:
        at = line.casefold().find(WORD.casefold())
        if at < 0 or OF.casefold() not in (str(path) + " " + line).casefold():
            continue
        words = re.sub(r"^[\\s:=-]+|^\\s*is\\s+|[.,;]+$", "", line[at + len(WORD):].strip()).split()
        value = next((word.strip(".,;") for word in words if any(c.isdigit() for c in word)), " ".join(words))
        values[value] = path
if len(values) != 1:
    raise SystemExit(WORD + " was found with " + str(len(values)) + " values: " + ", ".join(values))
print(*values)
"""
_SUM = """\
import csv
from decimal import Decimal

rows = list(csv.DictReader(lines(FILE)))
names = {name.strip().casefold(): name for name in (rows[0] if rows else {}) if name}
if WORD.casefold() not in names:
    raise SystemExit("there is no column " + WORD + "; columns are: " + ", ".join(names.values()))
cells = [row[names[WORD.casefold()]].strip().lstrip("$€£").replace(",", "") for row in rows]
print(sum(map(Decimal, cells), Decimal(0)))
"""
CODE: dict[str, str] = {
    "count lines": _COUNT_LINES,
    "count words": _COUNT_WORDS,
    "count characters": _COUNT_CHARACTERS,
    "count files": _COUNT_FILES,
    "list": _LIST,
    "unique": _UNIQUE,
    "sort": _SORT,
    "sort by number": _SORT_BY_NUMBER,
    "rename": _RENAME,
    "find": _FIND,
    "join": _JOIN,
    "gather": _GATHER,
    "lookup": _LOOKUP,
    "sum": _SUM,
}
