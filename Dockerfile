# A place to build and test in: docker build -t crosstie . && docker run --rm --privileged -v "$PWD:/work" -w /work crosstie make test
# CI has no Docker: only the commands of RUN were tried, on a bare Debian 12 with Swift 6.3.
FROM swift:6.3-bookworm
COPY packaging/setup-debian.sh /tmp/
RUN /tmp/setup-debian.sh lib tool python tests
RUN git config --system --add safe.directory '*'
