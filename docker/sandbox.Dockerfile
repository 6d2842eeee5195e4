# What programs find in containers of the Docker sandbox: Python, a shell, the usual tools, compilers if they are asked for.
#   docker/build_sandbox.sh
# The sandbox's own files are added to it by `python -m turnwise.sandbox.backends.docker.image --image NAME`, which that script
# calls, and by DockerSandbox(image=NAME) where they are missing.
ARG BASE=python:3.12-slim
FROM ${BASE}
ARG PACKAGES=""
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bash bc bzip2 diffutils file findutils gawk patch xz-utils ${PACKAGES} \
    && rm -rf /var/lib/apt/lists/* \
    && find / -xdev -perm /6000 -type f -exec chmod a-s {} +
USER 65534:65534
