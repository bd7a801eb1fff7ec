/**
 * `timeline.json` beside the record of a failed run: what happened around the finding, as data, for the time line of pages. The
 * run that fails writes it, and pages read it back: nothing is taken out of texts.
 */

import { z } from 'zod';

export const TIME_LINE_FILE = 'timeline.json';
export const TIME_LINE_FORMAT = 'rnic-verify time line 1';

/** Marks of a time line at most. */
export const MOST_MARKS = 400;
/** Characters of a text at most. */
export const LONGEST_MARK = 300;

const MARK_KINDS = [
  /** Software posts a request, a receive; polls a completion, which may be one with an error; rings a doorbell. */
  'post',
  'receive',
  'completion',
  'errorCompletion',
  'doorbell',
  /** Packets leave: requests for the first time and again, answers, NAKs. */
  'request',
  'retransmission',
  'answer',
  'nak',
  /** What becomes of packets: they arrive, arrive though none was sent, are lost, are changed or held back by the link. */
  'arrival',
  'duplicate',
  'loss',
  'change',
  /** PCIe: the NIC reads, writes, its data are in memory, its reads are answered; software accesses a BAR. */
  'read',
  'write',
  'stored',
  'readAnswer',
  'barAccess',
  /** A change of state, a command, an asynchronous event, another error. */
  'state',
  'command',
  'event',
  'report',
] as const;

const whole = z.int().min(-1);
const text = z.string().max(LONGEST_MARK + 3);

const markSchema = z.object({
  kind: z.enum(MARK_KINDS),
  /** Simulated, ps. */
  time: z.number().min(0),
  host: whole,
  /** Queue pair whose event it is: place in `pairs`; -1 for none. */
  pair: whole,
  /** Of packets: the queue pair that requests, in whose PSNs they are counted; -1 where it is none of `pairs`. */
  flow: whole.default(-1),
  /** First PSN and how many, of packets and posted requests. */
  psn: z.int().min(0).max(0xff_ffff).optional(),
  count: z.int().min(1).optional(),
  /** Part of the subject that it is an event of, where it decides: 0 is accused, others are against it. */
  side: whole.optional(),
  text,
});

export const timeLineSchema = z.object({
  format: z.literal(TIME_LINE_FORMAT),
  finding: z.object({ id: z.string().max(200), time: z.number().min(0), text }),
  /** The parts of the subject in words: the accused, and what is against it. */
  subject: z.array(text).max(64),
  pairs: z.array(z.object({ host: whole, qpn: whole, text })).max(64),
  /** In the order of time. */
  marks: z.array(markSchema).max(MOST_MARKS),
  /** Events of these queue pairs that have no mark: there were too many. */
  leftOut: z.int().min(0),
});

export type TimeLine = z.infer<typeof timeLineSchema>;
export type TimeMark = TimeLine['marks'][number];
export type MarkKind = TimeMark['kind'];
