import { type ByteEngine, GROWTH_UNIT } from './byteEngine.ts';
import { WASM_BASE64 } from './bytesWasm.ts';

/** The part of the host's WebAssembly interface used here; the standard library types do not include it. */
declare const WebAssembly: {
  readonly Memory: new (limits: {
    initial: number;
    maximum: number;
  }) => {
    readonly buffer: ArrayBuffer;
    grow(units: number): number;
  };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

/** Functions that bytes.c exports. */
type Exports = Omit<ByteEngine, 'implementation' | 'base' | 'buffer' | 'grow'> & { init(): void; heapBase(): number };

/**
 * The WebAssembly implementation, built from bytes.c. Memory that has been grown but not touched costs address space
 * only.
 *
 * V8 compiles a direct call into a WebAssembly function only while one instance is in use, so a process should keep
 * one byte store and reset it between runs.
 *
 * @throws when the host has no WebAssembly with SIMD; `ByteStore.create` then falls back to `createJsEngine`.
 */
export function createWasmEngine(initialBytes: number, maxBytes: number): ByteEngine {
  const memory = new WebAssembly.Memory({ initial: units(initialBytes), maximum: units(maxBytes) });
  const module = new WebAssembly.Module(Buffer.from(WASM_BASE64, 'base64'));
  const exports = new WebAssembly.Instance(module, { env: { memory } }).exports as Exports;
  exports.init();
  return {
    implementation: 'wasm',
    base: exports.heapBase(),
    buffer: () => memory.buffer,
    grow(bytes) {
      const missing = units(bytes) - units(memory.buffer.byteLength);
      if (missing > 0) memory.grow(missing);
    },
    copy: exports.copy,
    zero: exports.zero,
    equal: exports.equal,
    firstDifference: exports.firstDifference,
    crc32: exports.crc32,
    fillSeeded: exports.fillSeeded,
    equalSeeded: exports.equalSeeded,
    firstDifferenceSeeded: exports.firstDifferenceSeeded,
    hashInto: exports.hashInto,
    hashWords: exports.hashWords,
    hashMessage: exports.hashMessage,
    copyHashed: exports.copyHashed,
    fillHashed: exports.fillHashed,
  };
}

function units(bytes: number): number {
  return Math.ceil(bytes / GROWTH_UNIT);
}
