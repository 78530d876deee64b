"""`deskcrew suite`, `attack` and `lab`: many runs, worked as one table, attacked, and followed along the ways not taken."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.common import FAILED, RUNS, AsJson, Overrides, RunId, RunsDir, Told, command, group
from orchestrator.errors import UsageProblem
from orchestrator.store.printable import clean, json_text

if TYPE_CHECKING:
    from orchestrator.lab.suite.suite import EpisodeRow, EpisodeSpec, Suite

attack_app = group("Attack a crew with hostile texts.")
Names = Annotated[list[str] | None, typer.Argument(metavar="ATTACK...", help="Names, or globs such as 'mail-*'; all if none.")]
Files = Annotated[
    list[Path] | None, typer.Option("--corpus", metavar="FILE", help="Your own attacks instead of the shipped; repeatable.")
]


@attack_app.command("list")
@command
def list_attacks(attacks: Names = None, corpus: Files = None, as_json: AsJson = False) -> None:
    """List the attacks: carrier, language, concealment, intended harm."""
    from orchestrator.lab.attacks.corpus import chosen, load_corpus

    found = load_corpus(corpus or ())
    for attack in chosen(found, attacks or ()):
        if as_json:
            typer.echo(json_text(attack))
            continue
        said = f"{attack.name:<34} {attack.carrier:<13} {attack.language:<5} {attack.how:<26} {attack.harm}"
        typer.echo(clean(said, 200))


@attack_app.command("run")
@command
def run_attacks(
    attacks: Names = None,
    corpus: Files = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="victim, or a preset of policies; repeatable; rules and victim if none."),
    ] = None,
    safety: Annotated[str, typer.Option(metavar="NAME", help="A safety policy by name or path, or off.")] = "",
    overrides: Overrides = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="How many run at once.")] = 1,
    table: Annotated[bool, typer.Option("--table", help="Count with and without the safety policy, in Markdown.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let a crew work under attack; a person is present and approves nothing. Exit code 1 if an attack succeeds.

    With --safety off nothing is asked and everything is allowed: this shows what would succeed without a safety policy,
    and the exit code is 0.
    """
    from orchestrator.lab.attacks.corpus import chosen, load_corpus
    from orchestrator.lab.attacks.outcome import OFF, line, totals, worked
    from orchestrator.lab.attacks.outcome import table as as_table

    found = load_corpus(corpus or ())
    named = OFF if safety == "off" else safety
    outcomes = []
    for outcome in worked(
        found,
        chosen(found, attacks or ()),
        policies=policies or ["rules", "victim"],
        safeties=list(dict.fromkeys([named, OFF])) if table else [named],
        overrides=overrides or (),
        jobs=jobs,
    ):
        outcomes.append(outcome)
        # One outcome on its line: for a program on stdout, for a person beside it
        if as_json:
            typer.echo(json_text(outcome))
        else:
            typer.echo(clean(line(outcome), 400), err=True)
    typer.echo("\n".join(as_table(found, outcomes) if table else totals(outcomes)), err=as_json)
    if any(not outcome.held for outcome in outcomes if outcome.safety != OFF):
        raise typer.Exit(FAILED)


suite_app = group("Run tasks x seeds x configurations, and compare.")
SuiteName = Annotated[str, typer.Argument(metavar="SUITE", help="A shipped suite (see `suite list`), or a file.")]
Only = Annotated[str, typer.Option("--tasks", metavar="PATTERN", help="Only tasks whose name matches.")]
Workers = Annotated[int, typer.Option(min=1, max=64, help="How many episodes are worked at once.")]
Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of `suite run`.")]
K = Annotated[int, typer.Option("--k", min=0, help="The k of pass@k and pass^k; default: the number of repeats.")]


@suite_app.command("list")
@command
def list_suites(as_json: AsJson = False) -> None:
    """List the shipped suites."""
    from orchestrator.lab.suite.suite import episodes_of, load_suite
    from orchestrator.settings.layers import shipped_names

    for name in shipped_names("suites"):
        suite = load_suite(name)
        count = len(episodes_of(suite))
        said = {"suite": name, "episodes": count, "configurations": list(suite.configurations), "about": suite.about}
        typer.echo(json_text(said) if as_json else f"{name:<10} {count:>5} episodes  {suite.about}")


@suite_app.command("run")
@command
def run(
    suite: SuiteName,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The output folder; default: suites/NAME.")] = None,
    workers: Annotated[int, typer.Option(min=1, max=4096, help="How many run at once.")] = 1,
    on: Annotated[
        str, typer.Option(metavar="ENGINE", help="ray, ray://HOST:PORT, slurm or slurm:local; default: local processes.")
    ] = "",
    retry: Annotated[str, typer.Option(metavar="failed", help="failed: repeat episodes that were not right.")] = "",
    only: Only = "*",
) -> Told:
    """Run the missing episodes, and show the table. The same command continues a stopped suite."""
    from orchestrator.lab.suite.suite import load_suite, rows_in

    if retry not in {"", "failed"}:
        raise UsageProblem(f"--retry {retry!r} is not known; there is `failed`.")
    folder = out or Path("suites") / Path(suite).stem
    _worked(load_suite(suite), folder, workers=workers, on=on, again=retry == "failed", only=only)
    rows = rows_in(folder)
    typer.echo(f"in {folder}; {sum(row.seconds for row in rows):.0f} s of runs", err=True)
    return _shown(rows, "configuration")._replace(good=all(row.status != "error" for row in rows))


def _worked(suite: Suite, folder: Path, **how: Any) -> tuple[list[EpisodeSpec], list[EpisodeRow]]:
    """Work the missing episodes, and say of each that it is over; all that are wanted, and the rows that there are of them."""
    from orchestrator.lab.suite.engines import run_suite
    from orchestrator.lab.suite.suite import episodes_of, read_row

    began, first = time.monotonic(), 0
    for row, done, of in run_suite(suite, folder, **how):
        first = first or done
        left = (time.monotonic() - began) / (done - first + 1) * (of - done)
        word = "right" if row.right else "FALSE" if row.false_done else row.status
        wrote = f", {row.lines} rows and {row.dropped} dropped" if row.lines or row.dropped else ""
        why = "" if row.right else f"  {row.reason}"
        about = f"{row.configuration} {row.task} seed {row.seed} {row.steps} steps{wrote}"
        typer.echo(clean(f"{done:>4}/{of} {word:<9} {about}, {left:.0f} s left{why}", 240), err=True)
    specs = episodes_of(suite, how["only"])
    return specs, [*filter(None, (read_row(spec, folder) for spec in specs))]


@suite_app.command("show")
@command
def show(
    folder: Folder,
    by: Annotated[str, typer.Option(metavar="WORD", help="configuration, task, tier, kind or seed.")] = "configuration",
    k: K = 0,
) -> Told:
    """Show the table of finished episodes: shares with intervals, false done, steps, gates, plans, tokens, money."""
    from orchestrator.lab.suite.suite import rows_in

    return _shown(rows_in(folder), by, k)


@suite_app.command("compare")
@command
def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="FOLDER, or FOLDER:CONFIGURATION.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The other one, in the same form.")],
) -> Told:
    """Compare two configurations on their common episodes, pair by pair."""
    from orchestrator.lab.suite.figures import compared, comparison_lines

    found = compared(_chosen(first), _chosen(second), (first, second))
    return Told(found, "\n".join(comparison_lines(found)))


lab_app = group("Try what else could be decided, find the decision to blame, write verified data.")


@lab_app.command("gates")
@command
def gates(
    suite: SuiteName,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The output folder; default: gates/NAME.")] = None,
    workers: Workers = 1,
    only: Only = "*",
) -> Told:
    """Repeat each run up to its gates, take every allowed decision, and show which gates were right.

    The same command continues what was stopped. Tasks that do not begin the same way twice have no gates in it.
    """
    from orchestrator.lab.gates.laboratory import GATE_ROW, HEADS, cells, examine, figures
    from orchestrator.lab.suite.suite import lines_of, load_suite

    folder = out or Path("gates") / Path(suite).stem
    specs, rows = _worked(load_suite(suite), folder, workers=workers, only=only, examine=examine, purpose="gates")
    found = figures([*lines_of(specs, folder, GATE_ROW)])
    return Told.rows(found, HEADS, cells, numbers=True)._replace(good=all(row.status != "error" for row in rows))


@lab_app.command("blame")
@command
def blame_run(run: RunId, runs_dir: RunsDir = None) -> Told:
    """Find the first decision of a run from which no recovery was found.

    The run is repeated up to a decision and then left to the policies of its settings, at every place that a bisection
    needs. Exit code 1 if they fail from the beginning too.
    """
    from orchestrator.lab.gates.laboratory import blame

    found = blame(run, runs_dir or RUNS)
    if found is None:
        typer.echo("The policies of its settings do not come through from its beginning either.", err=True)
        raise typer.Exit(FAILED)
    where = f" in subtask {found.subtask}" if found.subtask else ""
    said = f"decision {found.number + 1} of {found.of}, of the {found.role}{where}: {found.decision} ({found.tries} repeats)"
    return Told(found, clean(said, 2000))


@lab_app.command("rollouts")
@command
def lab_rollouts(
    suite: SuiteName = "",
    verify: Annotated[Path | None, typer.Option(metavar="FILE", help="Repeat each row of a file instead.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The output folder; default: rollouts/NAME.")] = None,
    pairs: Annotated[int, typer.Option(min=0, max=1000, help="At how many decisions of a run another is tried.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Of what is tried.")] = 0,
    workers: Workers = 1,
    only: Only = "*",
) -> Told:
    """Write runs as rows for training, and pairs of decisions at one screen of which one came to a better end.

    Each row is repeated before it is written, and must earn its reward again; --verify repeats those of a file, exit code 1
    if one differs. The same command continues what was stopped.
    """
    from orchestrator.lab.gates.trajectories import collect, difference, figures, gathered, read_rows
    from orchestrator.lab.suite.suite import load_suite

    if bool(suite) == (verify is not None):
        raise UsageProblem("lab rollouts takes either a SUITE or --verify FILE.")
    if verify is not None:
        found = [(number, difference(row)) for number, row in enumerate(read_rows(verify), start=1)]
        wrong = [f"{verify}, line {number}: {why}" for number, why in found if why]
        told = {"rows": len(found), "wrong": len(wrong)}
        typer.echo("\n".join(wrong), err=True, nl=bool(wrong))
    else:
        folder, examine = out or Path("rollouts") / Path(suite).stem, partial(collect, pairs=pairs, seed=seed)
        purpose = f"rollouts --pairs {pairs} --seed {seed}"
        specs, rows = _worked(load_suite(suite), folder, workers=workers, only=only, examine=examine, purpose=purpose)
        told, wrong = figures(gathered(specs, folder), rows), [row.reason for row in rows if row.status == "error"]
    return Told(told, "\n".join(f"{name.replace('_', ' '):<24} {told[name]}" for name in told), good=not wrong)


@lab_app.command("tasks")
@command
def lab_tasks(
    most: Annotated[int, typer.Option("-n", min=1, metavar="N", help="How many tasks the folder is to have.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="What is drawn depends on it alone.")] = 0,
    worlds: Annotated[
        list[str] | None, typer.Option("--world", metavar="NAME", help="A world by name or path; repeatable.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The output folder.")] = Path("generated"),
) -> Told:
    """Generate tasks from the cards of apps, each with a judge that its oracle passes and none of its mutants.

    The same command continues what was stopped.
    """
    from orchestrator.tasks.generated import generate

    told = {"tasks": 0, "drafts": 0, "mutants": 0}
    for one in generate(out, most, seed, worlds or ()):
        told = {"tasks": told["tasks"] + (not one.why), "drafts": told["drafts"] + 1, "mutants": told["mutants"] + one.mutants}
        typer.echo(clean(f"{told['tasks']:>5}/{most} {one.why or one.name}", 200), err=True)
    return Told(told, ", ".join(f"{count:,} {name}" for name, count in told.items()) + f" in {out}")


def _chosen(word: str) -> list[EpisodeRow]:
    from orchestrator.lab.suite.suite import rows_in

    place, _, name = word.rpartition(":") if not Path(word).is_dir() else (word, "", "")
    rows = [row for row in rows_in(Path(place or word)) if not name or row.configuration == name]
    names = sorted({row.configuration for row in rows})
    if len(names) != 1:
        told = f"there is none called {name!r}" if name else f"it has {', '.join(names) or 'no rows'}; write {word}:NAME"
        raise UsageProblem(f"{word}: a comparison takes one configuration each, and {told}.")
    return rows


def _shown(rows: list[EpisodeRow], by: str, k: int = 0) -> Told:
    from orchestrator.lab.suite.figures import HEADS, cells, figures

    return Told.rows(figures(rows, by, k), HEADS, cells, numbers=True)
