"""Terminal: commands on the tree of the files app, by its window and by its function."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.simulated.apps.documents.files.app import ROOT, Entry, FilesState, parent
from environments.simulated.apps.documents.terminal.app import run
from environments.simulated.apps.documents.terminal.commands import ENTRIES_MAX, FILE_MAX, Shell

WORLD = Path(__file__).with_name("terminal.yaml").read_text(encoding="utf-8")
FILES = FilesState(
    entries={
        ROOT: Entry(kind="folder"),
        "/d": Entry(kind="folder"),
        "/d/a.txt": Entry(kind="file", text="b 2\na 10\nb 2\n"),
        "/d/b.txt": Entry(kind="file", text="no break"),
        "/d/.hidden": Entry(kind="file", text="h"),
        "/d/sub": Entry(kind="folder"),
        "/a b.txt": Entry(kind="file", text="x\ty\tz\n"),
    }
)
SHELL = Shell(FILES, ROOT)


def said(line, shell=SHELL):
    ran = run(shell, line)
    return "".join(f"{error}\n" for error in ran.errors) + ran.out


def tree(line, shell=SHELL):
    return run(shell, line).shell.files.entries


def enter(h, line):
    return h.type(line, "Command", submit=True)


def call(h, line):
    return h.call("terminal.run_command", command=line)


class TestWindow:
    def test_a_command_is_typed_and_its_output_is_shown_with_the_folder_and_the_status(self, h):
        assert enter(h, "ls").ok
        assert h.texts("text")[:4] == ["ada.brandt:/$ ls", "Docs", "Empty", "top.txt"]
        assert (h.value("Command"), h.element("Command").focused) == ("", True)
        enter(h, "cd Docs")
        assert "[0] ada.brandt:/Docs$" in h.texts("text")
        enter(h, "cat x")
        assert "cat: x: No such file or directory" in h.texts("text")
        assert "[1] ada.brandt:/Docs$" in h.texts("text")
        enter(h, "clear")
        assert h.texts("text") == ["[0] ada.brandt:/Docs$"]

    def test_what_is_written_here_is_seen_in_files_and_the_other_way_round(self, h):
        enter(h, "mkdir Mine && echo hello > Mine/new.txt")
        h.launch("files")
        assert "Mine" in h.texts("cell")
        h.click("Mine", count=2)
        h.click("new.txt", count=2)
        h.fill("Content", "from the editor")
        h.click("Save", "Close file")
        h.launch("terminal")
        enter(h, "cat Mine/new.txt")
        assert "from the editor" in h.texts("text")

    def test_an_open_file_follows_unless_it_has_changes_of_its_own(self, hand):
        h = hand(WORLD.replace("folders:", "open: /top.txt, folders:"))
        enter(h, "echo more >> top.txt")
        assert h.app("files")["text"] == "topmore\n"
        h.launch("files")
        h.fill("Content", "mine")
        call(h, "echo theirs > top.txt")
        assert h.app("files")["text"] == "mine"
        call(h, "rm top.txt")
        assert h.app("files")["open"] == ""
        assert h.texts("heading") == ["Folder /"]

    def test_a_screenful_and_paging_back(self, h):
        enter(h, "echo " + "'" + "a' && echo '".join(map(str, range(30))) + "'")
        shown = h.texts("text")
        assert (len(shown), shown[-2]) == (15, "29")
        h.click("Older output", "Older output")
        assert h.texts("text")[0].startswith("ada.brandt:/$ echo")
        assert not h.element("Older output").enabled
        h.click("Newer output", "Newer output")
        assert h.texts("text")[-2] == "29"
        h.press("Control", "l")
        assert h.texts("text") == ["[0] ada.brandt:/$"]

    def test_the_function_says_what_came_of_it_and_leaves_the_field_alone(self, h):
        h.type("half a comm", "Command")
        assert call(h, "cat Docs/plan.txt | grep -c -i two") == {
            "status": 0, "output": "2\n", "errors": "", "cut": False, "folder": "/",
        }  # fmt: skip
        assert call(h, "cat nothing")["errors"] == "cat: nothing: No such file or directory"
        assert h.element("Command").value == "half a comm"
        for _ in range(3):
            call(h, " ; ".join(["cat Docs/plan.txt"] * 100))
        assert len(h.app("terminal")["lines"]) == 500, "the lines that are kept have an end"

    def test_a_world_without_files_has_a_tree_of_its_own(self, hand, tmp_path):
        world = "apps: {terminal: }\nopen: [terminal]"
        h = hand(world, store=tmp_path)
        enter(h, "ls")
        enter(h, "echo a > a.txt && ls")
        assert h.texts("text")[-2] == "a.txt"
        h.desktop.close()
        again = hand(world, store=tmp_path)
        assert again.app("terminal")["own"]["/a.txt"]["text"] == "a\n"


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("ls", "a b.txt\nd\n"),
        ("ls -a d", ".hidden\na.txt\nb.txt\nsub\n"),
        ("ls x 'a b.txt'", "ls: cannot access 'x': No such file or directory\na b.txt\n"),
        ("ls d/*.txt", "d/a.txt\nd/b.txt\n"),
        ("ls 'd/*.txt'", "ls: cannot access 'd/*.txt': No such file or directory\n"),
        ("echo *.none 'a  b' \"c\\\"d\" e\\ f", "*.none a  b c\"d e f\n"),
        ("cd d; pwd; cd ..; pwd; cd ../../..; pwd", "/d\n/\n/\n"),
        ("cd d/a.txt", "bash: cd: d/a.txt: Not a directory\n"),
        ("cd x && pwd", "bash: cd: x: No such file or directory\n"),
        ("cat d/a.txt/b", "cat: d/a.txt/b: Not a directory\n"),
        ("head -2 d/a.txt | tail -n 1", "a 10\n"),
        ("head -n x d/a.txt", "head: invalid number of lines: 'x'\n"),
        ("head -n 1 d/a.txt d/b.txt", "==> d/a.txt <==\nb 2\n\n==> d/b.txt <==\nno break\n"),
        ("wc d/a.txt", " 3  6 13 d/a.txt\n"),
        ("wc -l d/a.txt d/b.txt", " 3 d/a.txt\n 0 d/b.txt\n 3 total\n"),
        ("cat d/a.txt | wc", "      3       6      13\n"),
        ("grep -n b d/a.txt", "1:b 2\n3:b 2\n"),
        ("grep -i NO d/b.txt d/a.txt", "d/b.txt:no break\n"),
        ("grep b d", "grep: d: Is a directory\n"),
        ("grep -r b d", "d/a.txt:b 2\nd/a.txt:b 2\nd/b.txt:no break\n"),
        ("grep -c '^b.*2$' d/a.txt", "2\n"),
        ("grep '[0-9][0-9]' d/a.txt", "a 10\n"),
        ("grep -v [b] d/a.txt", "a 10\n"),
        ("grep -F . d/a.txt", ""),
        ("grep '(b)' d/a.txt", ""),
        (r"grep '\(1\|no\)' d/a.txt d/b.txt", "d/a.txt:a 10\nd/b.txt:no break\n"),
        ("grep [ d/a.txt", "grep: the pattern cannot be read\n"),
        ("sort -u d/a.txt", "a 10\nb 2\n"),
        ("echo 9 > n; echo 10 >> n; sort -n n; sort -r n", "9\n10\n9\n10\n"),
        ("find . -name '*.txt'", "./a b.txt\n./d/a.txt\n./d/b.txt\n"),
        ("find d -type d", "d\nd/sub\n"),
        ("find -size 3", "find: unknown predicate '-size'\n"),
        ("nonsense", "bash: nonsense: command not found\n"),
        ("ls -z", "ls: invalid option -- 'z'\n"),
        ("rm d", "rm: cannot remove 'd': Is a directory\n"),
        ("rm -r /", "rm: it is dangerous to operate recursively on '/'\n"),
        ("rm -f x", ""),
        ("rm x", "rm: cannot remove 'x': No such file or directory\n"),
        ("cd d d", "bash: cd: too many arguments\n"),
        ("mkdir d", "mkdir: cannot create directory 'd': File exists\n"),
        ("mkdir x/y", "mkdir: cannot create directory 'x/y': No such file or directory\n"),
        ("cp d e", "cp: -r not specified; omitting directory 'd'\n"),
        ("cp -r d d/sub", "cp: cannot copy a directory, 'd', into itself, '/d/sub/d'\n"),
        ("mv d d/sub", "mv: cannot move 'd' to a subdirectory of itself, '/d/sub/d'\n"),
        ("mv d", "mv: missing destination file operand after 'd'\n"),
        ("echo a > d", "bash: d: Is a directory\n"),
        ("nonsense | wc -l", "bash: nonsense: command not found\n0\n"),
    ],
)  # fmt: skip
def test_commands_say_what_real_ones_say(line, output):
    assert said(line) == output


@pytest.mark.parametrize(
    ("line", "path", "text"),
    [
        ("echo a > new; echo b >> new", "/new", "a\nb\n"),
        ("sort d/a.txt > d/a.txt", "/d/a.txt", ""),
        ("echo -n x >> d/b.txt", "/d/b.txt", "no breakx"),
        ("cp d/*.txt d/sub", "/d/sub/b.txt", "no break"),
        ("cp -r d e", "/e/a.txt", FILES.entries["/d/a.txt"].text),
        ("cp -r d e; cp -r d e", "/e/d/b.txt", "no break"),
        ("mv d e", "/e/b.txt", "no break"),
        ("mv d/b.txt d/a.txt", "/d/a.txt", "no break"),
        ("mkdir -p x/y/z && mv d/b.txt x/y/z", "/x/y/z/b.txt", "no break"),
        ("cd d && mv /d /e && echo a > here", "/e/here", "a\n"),
        ("echo '|' \"&&\" \\; > new", "/new", "| && ;\n"),
        ("touch ~/new", "/new", ""),
    ],
)
def test_commands_change_the_tree(line, path, text):
    assert said(line) == ""
    assert tree(line)[path].text == text


@pytest.mark.parametrize(
    "line",
    ["echo $(ls)", "echo `ls`", 'echo "$(ls)"', "ls || pwd", "ls &", "cat < x", "(ls)", "echo $HOME", "ls 2> x",
     "echo 'a", "ls > x > y", "> x ls", "ls |", "| ls", "ls && ", "&& ls", "ls >", "x" * 5000],
)  # fmt: skip
def test_the_rest_of_a_shell_is_refused_in_a_sentence(line):
    ran = run(SHELL, line)
    assert ran.status == 2
    assert ran.errors[0].startswith("bash: ")
    assert ran.shell == SHELL


def test_statuses():
    statuses = {"ls": 0, "ls x": 2, "grep zzz d/a.txt": 1, "nonsense": 127, "": 0, "cat x; pwd": 0}
    assert {line: run(SHELL, line).status for line in statuses} == statuses


def test_there_is_an_end_to_what_fits():
    shell, errors = SHELL, set()
    for _ in range(20):
        ran = run(shell, "cat d/b.txt d/b.txt > t && mv t d/b.txt")
        shell, errors = ran.shell, errors | set(ran.errors)
    assert errors == {"bash: t: No space left on device"}
    assert all(len(entry.text) <= FILE_MAX for entry in shell.files.entries.values())
    many = {f"/d/{n}": Entry(kind="file") for n in range(ENTRIES_MAX - len(FILES.entries))}
    full = SHELL._replace(files=FILES.model_copy(update={"entries": {**FILES.entries, **many}}))
    assert said("touch x", full) == "touch: cannot touch 'x': No space left on device\n"
    assert said("cp -r d e", full) == "cp: cannot create directory '/e': No space left on device\n"
    assert said("touch d/0 && rm d/0 && touch x", full) == ""


def test_a_pattern_with_many_stars_takes_no_longer_than_its_line():
    shell = run(SHELL, f"echo {'a' * 2000} > long").shell
    assert run(shell, "grep '" + "a*" * 40 + "b' long").status == 1


WORDS = [
    "ls", "cd", "cat", "echo", "mkdir", "-p", "rm", "-r", "-rf", "cp", "mv", "touch", "head", "tail", "wc", "grep", "-n",
    "sort", "find", "-name", "-d", "-f", "1", "clear", "help", "|", "&&", ";", ">",
    ">>", "..", "../..", "/", ".", "d", "d/a.txt", "*", "*.txt", "'a b.txt'", "/d/sub", "x/y", "~", "''", "[", "[a", "?*",
    "--", "-", "-1", "$", "\\",
]  # fmt: skip
LINES = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=9).map(" ".join)


@settings(max_examples=3 * settings.default.max_examples)
@given(st.lists(LINES, max_size=6))
def test_no_line_raises_and_no_path_leaves_the_tree(lines):
    shell = SHELL
    for line in lines:
        ran = run(shell, line)
        assert run(shell, line) == ran
        shell = ran.shell
        entries = shell.files.entries
        assert entries[ROOT].kind == "folder"
        for path in entries:
            assert path.startswith("/")
            assert not {".", ".."} & set(path.split("/"))
            assert path == ROOT or ("" not in path.split("/")[1:] and entries[parent(path)].kind == "folder")
        assert shell.files.cwd in entries
