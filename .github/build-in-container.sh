#!/bin/sh
# Builds the addon for $TARGET inside a bare Linux image and loads it there. Called by
# release.yml with the checkout as the working directory.

set -eu

if command -v apk >/dev/null; then
  apk add --no-cache curl gcc musl-dev nodejs
else
  dnf -y module enable nodejs:20
  dnf -y install curl gcc nodejs
fi
curl --proto '=https' --tlsv1.2 -fsS https://sh.rustup.rs |
  sh -s -- -y --profile minimal --default-toolchain stable
PATH="$HOME/.cargo/bin:$PATH"

node scripts/build.mjs --native --target "$TARGET"
eval "$LOAD"
