/** A capture that is judged: read twice, to learn of its connections and to judge it. */

import { CaptureFrame, type CaptureTotals } from '../../agents/link/capture/captureFrame.ts';
import { openCapture } from '../../agents/link/capture/captureReader.ts';
import type { WireReportId } from '../../agents/wire/wireRules.ts';
import { DataError, whyUnread } from '../../files/dataError.ts';
import { StoredFile } from '../../files/storedFile.ts';
import { CaptureDecoder } from '../../scoreboard/capture/captureDecoder.ts';
import { CaptureJudge } from '../../scoreboard/capture/captureJudge.ts';
import { CaptureSurvey, type Learnt } from '../../scoreboard/capture/captureSurvey.ts';
import { ByteStore } from '../../uvm/bytes/byteStore.ts';

/** What is to be judged, and how. */
export interface CaptureRequest {
  readonly file: string;
  /** All frames are as their senders sent them. */
  readonly sent: boolean;
  readonly off: readonly WireReportId[];
  /** Least ACK time-out of queue pairs, ps. */
  readonly ackTimeout: number;
  /** Findings that are kept with their texts. */
  readonly most: number;
}

/** A capture that has been judged, to its end or to where it is wrong. */
export interface JudgedCapture {
  readonly judge: CaptureJudge;
  readonly learnt: Learnt;
  readonly totals: CaptureTotals;
  /** Where and why it could not be read on; '' if it is whole. */
  readonly broken: string;
}

/** Made for the first capture. */
let store: ByteStore | undefined;

/** Reads a capture twice: to learn of its connections, and to judge it. A string says why it cannot be read at all. */
export function judgeCapture({ file: path, sent, off, ackTimeout, most }: CaptureRequest): JudgedCapture | string {
  let file: StoredFile | undefined;
  try {
    file = new StoredFile(path);
    store ??= ByteStore.create();
    store.reset();
    const decoder = new CaptureDecoder(store);
    const survey = new CaptureSurvey(decoder);
    const { totals, broken } = readFrames(file, (frame) => survey.see(frame));
    if (totals === undefined) return broken;
    const learnt = survey.learnt();
    const judge = new CaptureJudge(decoder, learnt, { sent, off, ackTimeout, most, gaps: totals.missed > 0 });
    readFrames(file, (frame) => judge.judge(frame));
    return { judge, learnt, totals, broken };
  } catch (error) {
    const why = whyUnread(error);
    if (why === undefined) throw error;
    return why;
  } finally {
    file?.close();
  }
}

/** Reads all frames as far as the file is right. `totals` is undefined where it is no capture. */
function readFrames(
  file: StoredFile,
  take: (frame: CaptureFrame) => void,
): { readonly totals: CaptureTotals | undefined; readonly broken: string } {
  const frame = new CaptureFrame();
  let reader: ReturnType<typeof openCapture> | undefined;
  try {
    reader = openCapture(file);
    while (reader.next(frame)) take(frame);
    return { totals: reader.totals, broken: '' };
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return { totals: reader?.totals, broken: error.message };
  }
}
