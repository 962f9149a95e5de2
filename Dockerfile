# An image with `ape`: the commands of "Installing" in README.md, and then what they installed, on a system without a toolchain.
#
#     docker build --tag ape .
#     docker run --rm --volume "$PWD:/work" ape verify examples/swap.l

FROM rust:1-bookworm AS build
RUN apt-get update && apt-get install --yes python3-pip
WORKDIR /src
COPY . .
RUN .ci/package target/package
RUN mkdir -p /opt/ape
RUN tar -xJf target/package/ape-*.tar.xz -C /opt/ape --strip-components=1

# The same system, as the program needs a C library that is as new as the one it was built with.
FROM debian:bookworm-slim
COPY --from=build /opt/ape /opt/ape
ENV PATH=/opt/ape/bin:$PATH
RUN /opt/ape/bin/ape doctor
WORKDIR /work
ENTRYPOINT ["ape"]
