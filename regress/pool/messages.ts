/** Messages between the pool and its worker processes. */

import type { Job } from '../job.ts';
import type { Measured, PlayedJob, PlayerSettings } from './player.ts';

export type ToWorker =
  | { readonly kind: 'setup'; readonly playerUrl: string; readonly settings: PlayerSettings }
  /** `attempt`: 1, or more for a job whose process has died, which travels alone. */
  | { readonly kind: 'play'; readonly jobs: readonly Job[]; readonly attempt: number };

export type FromWorker =
  /** The player is loaded. */
  | { readonly kind: 'ready' }
  /** The player could not be loaded; the worker ends. */
  | { readonly kind: 'unusable'; readonly message: string }
  /** One job has ended. Sent, and flushed, before the next one begins. */
  | { readonly kind: 'result'; readonly id: string; readonly played: PlayedJob & Measured; readonly wallMs: number }
  /** One job has ended and takes the process with it: nothing further comes. */
  | { readonly kind: 'ending'; readonly id: string; readonly played: PlayedJob; readonly wallMs: number }
  /** A job of which the result has been sent has thrown something. */
  | { readonly kind: 'stray'; readonly id: string; readonly message: string }
  /** The process ends, for this reason. */
  | { readonly kind: 'dying'; readonly message: string }
  /** The player threw: the job counts as crashed, the worker goes on. */
  | { readonly kind: 'threw'; readonly id: string; readonly message: string; readonly wallMs: number };
