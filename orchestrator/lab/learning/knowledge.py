"""What `deskcrew knowledge` does: the store of the settings, filled, listed and searched."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

from environments.files.wrong_data import did_you_mean
from orchestrator.errors import UsageProblem
from orchestrator.lab.logs import OWN, locate, opened
from orchestrator.runs.experience import Lesson, against, problem_with
from orchestrator.runs.folders import read_run, stored_report
from orchestrator.settings.build import build_library
from orchestrator.settings.settings import Settings
from roles.knowledge.library import Library, SearchResult, gather, stored_at
from roles.knowledge.pages.documents import KINDS, Document, DocumentKind
from roles.knowledge.pages.folders import FolderSync, sync
from roles.knowledge.pages.learned import distil
from roles.knowledge.settings import KnowledgeSettings
from roles.knowledge.store import KEPT, KnowledgeStore, SourceFault, StoreFault


def lesson(word: str, goal: str, source: str, runs_dir: Path, app: str = "") -> Lesson:
    """From a run or a log. Raises UsageProblem."""
    path = locate(word, runs_dir)
    run = path.parent if source == OWN and (path.parent / "run.json").is_file() else None
    every = (line.step for line in opened(word, source, runs_dir).lines if line.step is not None)
    runs = [list(steps) for _, steps in groupby(every, key=lambda step: step.run_id)]
    steps = runs[-1] if runs else []  # what was begun anew was not to be kept
    why = against(stored_report(run)) if run is not None else ""
    kind: DocumentKind = "demonstration"
    if run is not None and (steps or why):
        record = read_run(run)
        goal, kind, origin = goal or record["goal"], "experience", f"run:{record['run_id']}"
    elif not steps:
        raise UsageProblem(f"{path}: it contains no readable step; check it with: deskcrew log validate {word}")
    else:
        goal, origin = goal or steps[0].subtask, f"log:{path.name}"
        if not goal.strip():
            raise UsageProblem(f"{path}: it does not contain the goal; give it with --goal.")
    found = distil(steps, goal)
    found = found.model_copy(update={"app": app}) if app else found
    return Lesson(found, kind, origin, why or problem_with(found))


def offered(folder: Path) -> tuple[Lesson, KnowledgeSettings] | None:
    """What a person is asked about at the end of a run (`knowledge.experience.save: ask`); None where there is nothing to ask."""
    settings = KnowledgeSettings.model_validate(read_run(folder)["settings"].get("knowledge") or {})
    if settings.experience.save != "ask" or against(stored_report(folder)):
        return None
    try:
        found = lesson(folder.name, "", OWN, folder.parent)
        with KnowledgeStore(stored_at(settings, folder.parent)) as store:
            known = store.get(found.found.document(found.kind, found.source).id) is not None
    except (UsageProblem, StoreFault, OSError):
        return None
    return None if known or found.against or found.found.doubts else (found, settings)


def add(settings: Settings, places: Sequence[Path], app: str | None, kind: str | None) -> FolderSync:
    """Bring these files and folders into the store, which is made where it is not there. Raises UsageProblem."""
    meant = _kind(kind) or "help"
    if absent := [place for place in places if not place.exists()]:
        raise UsageProblem(f"{absent[0]}: there is no such file or folder.")
    try:
        with KnowledgeStore(stored_at(settings.knowledge, settings.runs_dir)) as store:
            done = [sync(store, place, app=app, kind=meant) for place in places]
    except (StoreFault, OSError) as bad:
        raise UsageProblem(str(bad)) from bad
    return FolderSync(
        tuple(id for one in done for id in one.added),
        tuple(id for one in done for id in one.changed),
        tuple(id for one in done for id in one.removed),
        sum(one.unchanged for one in done),
        tuple(problem for one in done for problem in one.problems),
    )


def listed(settings: Settings, app: str | None, kind: str | None, every: bool) -> Sequence[Document]:
    """What was added; with `every`, what stands in folders, too."""
    meant = _kind(kind)
    with _library(settings) as library:
        shelves = library.shelves() if every else [KEPT]
        return library.store().list(meant, app, shelves=shelves)


def remove(settings: Settings, ids: Sequence[str]) -> None:
    """Raises UsageProblem where one is not there, and then removes none."""
    with _library(settings) as library:
        store = library.store()
        known = [document.id for document in store.list()]
        for id in ids:
            if id not in known:
                raise UsageProblem(f"nothing that was added has the id {id!r}{did_you_mean(id, known)}")
        with store.writing():
            for id in ids:
                store.remove(id)


def search(settings: Settings, query: str, app: str | None, kind: str | None) -> SearchResult:
    """As a run searches."""
    meant = _kind(kind)
    with _library(settings) as library:
        library.store()  # one that cannot be read is to be mended, and not only told of
        sources = [source for source in library.sources() if meant in (None, getattr(source, "kind", ""))]
        found, faults = gather(sources, query, app)
        return SearchResult(found, [*faults, *library.problems])


@contextmanager
def _library(settings: Settings) -> Iterator[Library]:
    """The library of the settings, closed afterwards. Faults of its file are the user's to see."""
    library = build_library(settings)
    try:
        yield library
    except (StoreFault, SourceFault) as bad:
        raise UsageProblem(str(bad)) from bad
    finally:
        library.close()


def _kind(kind: str | None) -> DocumentKind | None:
    if kind is None or kind in KINDS:
        return kind
    raise UsageProblem(f"command line: --kind {kind}: kinds are {', '.join(KINDS)}.")
