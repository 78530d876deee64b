"""The Technician's rules policy: code that the user's words give themselves, in backquotes or a block, is run as it stands.

It is reviewed and run in the sandbox like any other, and one script is enough.
"""

import re

from roles.contracts import Script, ScriptAnswer, ScriptRequest
from roles.contracts.orders import JobStep
from roles.policies.orders.jobs import only_job
from roles.screen.language.reader import read

_INSTALL = re.compile(r"(?:please )?(?:pip |apt(?:-get)? |npm )?install\b", re.IGNORECASE)
_NO_INSTALL = (
    "nothing can be installed: scripts run in a sandbox without network that ends with them; a script may install for itself "
    "what is in the folder of the setting packages"
)


class RulesTechnician:
    """Writes one script for the job, and says what it did not understand."""

    def write(self, request: ScriptRequest) -> ScriptAnswer:
        if request.ran:
            last = request.ran[-1]
            if last.error:
                return ScriptAnswer(outcome="cannot", reason=f"the script did not work: {last.error}")
            return ScriptAnswer(outcome="done", reason=f"the script ended with exit code {last.exit_code}")
        words = request.subtask.instruction
        given = [step for step in request.subtask.steps if isinstance(step, JobStep)]
        job = given[0] if len(given) == 1 else None if given else only_job(read(words))
        if job is None:
            why = f'no script is known for these words: "{words}"; a model policy may write one'
            return ScriptAnswer(outcome="cannot", reason=_NO_INSTALL if _INSTALL.match(words) else why)
        return ScriptAnswer(outcome="run", script=Script(language=job.language, code=job.code, why=words))
