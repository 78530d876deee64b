# Shared by scripts/demo and scripts/test: a virtual environment that is made once and renewed when the pins change.

# find_python: the newest Python of this machine that is new enough.
find_python() {
  local name
  for name in ${PYTHON:-} python3.14 python3.13 python3.12 python3.11 python3 python; do
    if command -v "$name" >/dev/null 2>&1 && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      echo "$name"
      return
    fi
  done
  echo "Python 3.11 or newer is needed and was not found; install it, or name it: PYTHON=/path/to/python3 $0" >&2
  exit 2
}

# make_venv FOLDER WHAT: make FOLDER and install WHAT (`.` or `.[dev]`) into it, unless that was done for these pins.
# The install is editable, so that what runs is always what stands here.
make_venv() {
  local folder="$1" what="$2" python pins done
  pins="$(cat pyproject.toml constraints.txt | cksum) $PWD"
  done="$(cat "$folder/.installed" 2>/dev/null || true)"
  if [ -x "$folder/bin/deskcrew" ] && { [ "$done" = "$pins $what" ] || [ "$done" = "$pins .[dev]" ]; }; then
    return
  fi
  if [ ! -x "$folder/bin/python" ]; then
    python="$(find_python)"
    echo "Making $folder with $("$python" --version 2>&1) ..."
    if ! "$python" -m venv "$folder"; then
      rm -rf "$folder"
      echo "$python cannot make virtual environments; on Debian and Ubuntu: apt-get install python3-venv" >&2
      exit 2
    fi
  fi
  echo "Installing deskcrew (once) ..."
  "$folder/bin/python" -m pip install --quiet --quiet --disable-pip-version-check -c constraints.txt -e "$what"
  echo "$pins $what" >"$folder/.installed"
}
