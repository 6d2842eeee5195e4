#!/usr/bin/env bash
# Builds the image of the Docker sandbox ahead of its first use, and prints its name or id.
#   docker/build_sandbox.sh                     from docker/sandbox.Dockerfile: needs a registry and Debian's packages
#   docker/build_sandbox.sh --offline           from this machine's Python, without a registry
#   docker/build_sandbox.sh [--offline] --compilers     with gcc and g++
# Use it as DockerSandbox(image="turnwise/sandbox:latest"); the one made by --offline is found by image=None.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
offline= compilers= packages=
for option in "$@"; do
    case $option in
    --offline) offline=1 ;;
    --compilers) compilers=--compilers packages="gcc g++ libc6-dev make" ;;
    *) echo "usage: $0 [--offline] [--compilers]" >&2; exit 2 ;;
    esac
done
if [ -n "$offline" ]; then
    exec "$python" -m turnwise.sandbox.backends.docker.image $compilers
fi
docker build --file docker/sandbox.Dockerfile --build-arg PACKAGES="$packages" --tag turnwise/sandbox-image:latest docker >&2
"$python" -m turnwise.sandbox.backends.docker.image --image turnwise/sandbox-image:latest --tag turnwise/sandbox:latest
