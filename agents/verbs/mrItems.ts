/** What is told of a query of a memory region. */
import type { MrInfo } from './verbsItems.ts';

/** What a NIC says of a memory region. */
export interface MrAttributes {
  readonly key: number;
  /** Number of its protection domain. */
  readonly pd: number;
  /** First byte, signed halves, and bytes. */
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  /** `ACCESS` bits. */
  readonly access: number;
  readonly zeroBased: boolean;
}

/** What a NIC has said of one, and what software has registered. */
export interface MrQuery {
  readonly registered: MrInfo;
  readonly said: MrAttributes;
}
