# turnwise serve, without PyTorch; a token is needed, since others can reach it:
#   docker build -f docker/serve.Dockerfile -t turnwise-serve .
#   docker run --rm -p 8000:8000 -e TURNWISE_SERVE_TOKEN=... turnwise-serve games logic
# It writes nothing and needs no rights: add --read-only --cap-drop ALL --security-opt no-new-privileges.
ARG BASE=python:3.11-slim
FROM ${BASE} AS wheel
COPY . /src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheel /src

FROM ${BASE}
RUN useradd --create-home turnwise
COPY --from=wheel /wheel /wheel
RUN pip install --no-cache-dir "$(echo /wheel/turnwise-*.whl)[serve]"
USER turnwise
WORKDIR /home/turnwise
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health')"]
ENTRYPOINT ["turnwise", "serve", "--host", "0.0.0.0", "--port", "8000"]
CMD ["games"]
