#!/bin/sh
# Compiles uvm/bytes/bytes.c to WebAssembly and writes uvm/bytes/bytesWasm.ts (or the file given as argument).
# Needs clang and wasm-ld with the wasm32 target. The text produced depends only on the source and the version of
# clang, which is recorded in it.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:-$root/uvm/bytes/bytesWasm.ts}
clang=${CLANG:-clang}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$clang" --target=wasm32 -O3 -msimd128 -mbulk-memory -nostdlib -ffreestanding -Wall -Wextra \
  -Wl,--no-entry -Wl,--import-memory -Wl,--strip-all -Wl,-z,stack-size=16384 -Wl,--max-memory=4294967296 \
  "$root/uvm/bytes/bytes.c" -o "$work/bytes.wasm"

version=$("$clang" --version | head -n 1)
{
  echo '// Written by scripts/build/build-wasm.sh from bytes.c; do not edit.'
  echo
  echo '/** Compiler that made the module below. */'
  echo "export const WASM_COMPILER = '$version';"
  echo
  echo '/** The compiled module, base64. */'
  echo 'export const WASM_BASE64 ='
  base64 -w 110 "$work/bytes.wasm" | sed "s/.*/  '&' +/; \$s/ +\$/;/"
} > "$work/bytesWasm.ts"
cp "$work/bytesWasm.ts" "$out"
