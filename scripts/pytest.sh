# For scripts/test. A failure of timing on a busy machine shall not fail everything.

# failed_tests: the ids of the tests that failed, one a line, from pytest's own cache.
failed_tests() {
  python - <<'PYTHON'
import json
from pathlib import Path

path = Path(".pytest_cache/v/cache/lastfailed")
print(*sorted(json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}), sep="\n", end="\n")
PYTHON
}

# pytest_twice ARGUMENTS: all tests; where at most five failed, those once more, alone, and that run decides.
pytest_twice() {
  local code=0 first second count
  # Without what an earlier run left there, the cache names the failures of this one. Four processes on two cores: a third of
  # the time tests wait for others, that they started, killed or browse with.
  python -m pytest --cache-clear -n 4 --dist worksteal "$@" || code=$?
  first="$(failed_tests)"
  count="$(grep -c . <<<"$first" || true)"
  if [ "$code" -ne 1 ] || [ "$count" -lt 1 ] || [ "$count" -gt 5 ]; then
    return "$code"
  fi
  echo "Failed: $count. Once more, each after the other and beside nothing else:"
  code=0
  python -m pytest -n 0 --lf --lfnf none "$@" || code=$?
  second="$(failed_tests)"
  while read -r test; do
    if grep -qxF -- "$test" <<<"$second"; then
      echo "failed beside others and alone: $test"
    else
      echo "failed beside others, passed alone: $test"
    fi
  done <<<"$first"
  return "$code"
}
