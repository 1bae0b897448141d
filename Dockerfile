# One image for all parts of Tablewatch: the command decides which part a container is.
FROM python:3.12.11-slim-bookworm AS build
WORKDIR /build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/tablewatch
# Only what runs is installed, each file held against the digests of constraints.txt.
COPY pyproject.toml README.md constraints.txt ./
COPY deploy/docker/runtime_pins.py ./
RUN python runtime_pins.py pyproject.toml constraints.txt > runtime.txt \
    && /opt/tablewatch/bin/pip install --require-hashes --no-deps -r runtime.txt \
    && /opt/tablewatch/bin/pip check
COPY games games
COPY schemas schemas
COPY audit audit
COPY simulator simulator
COPY store store
COPY streams streams
COPY replay replay
COPY console console
COPY dashboards dashboards
COPY tablewatch tablewatch
RUN python runtime_pins.py pyproject.toml constraints.txt hatchling > build.txt \
    && pip install --require-hashes --no-deps -r build.txt \
    && pip wheel --no-deps --no-build-isolation -w dist . \
    && /opt/tablewatch/bin/pip install --no-deps dist/*.whl

FROM python:3.12.11-slim-bookworm
RUN groupadd --gid 10001 tablewatch \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/tablewatch tablewatch \
    && install -d -o 10001 -g 10001 -m 0700 /var/lib/tablewatch
COPY --from=build /opt/tablewatch /opt/tablewatch
ENV PATH=/opt/tablewatch/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 TABLEWATCH_DATA=/var/lib/tablewatch
USER 10001:10001
WORKDIR /var/lib/tablewatch
VOLUME /var/lib/tablewatch
ENTRYPOINT ["tablewatch"]
CMD ["--help"]
