/** What rules change in one frame, done one after another on the copy that goes on instead of it. */

import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import type { FrameEdit } from '../../linkFaults.ts';
import { FrameHeaders } from '../frame/frameHeaders.ts';

/** Changes the frame whose headers were read. @returns its new length */
export type HeaderEdit = (h: FrameHeaders, data: number, length: number) => number;

/** Reused for every frame. */
export class FrameEdits implements FrameEdit {
  readonly #headers: FrameHeaders;
  readonly #edits: HeaderEdit[] = [];

  constructor(bytes: ByteStore) {
    this.#headers = new FrameHeaders(bytes);
  }

  get isEmpty(): boolean {
    return this.#edits.length === 0;
  }

  clear(): void {
    this.#edits.length = 0;
  }

  add(edit: HeaderEdit): void {
    this.#edits.push(edit);
  }

  edit(_bytes: ByteStore, data: number, length: number): number {
    let now = length;
    for (const edit of this.#edits) {
      this.#headers.read(data, now);
      if (this.#headers.isRoce) now = edit(this.#headers, data, now);
    }
    return now;
  }
}
