/** A stream of WRITEs from one end of a pair to the other, with the times of its frames. */
import { FastStream } from '../../../../uvm/random/randomStream.ts';
import { BluePair, type PairOptions, write } from './bluePair.ts';

/** Bytes of a frame besides its payload, and of what is between two frames on the wire. */
const HEADERS = 96;
const BETWEEN = 24;

export interface StreamOptions extends PairOptions {
  readonly mtu: number;
  /** Messages, and bytes of each. */
  readonly messages: number;
  readonly length: number;
  /** Share of frames that are lost, of both directions. */
  readonly loss?: number;
  /** Index of a data frame that is lost, and more of them. */
  readonly lost?: readonly number[];
  /** Every so many data frames one comes late by so many packet times. */
  readonly late?: { readonly every: number; readonly packets: number };
}

export interface StreamTimes {
  /** Of the data on the wire, and of all from posting to the last completion; Gb/s. */
  readonly wireGbps: number;
  readonly goodput: number;
  /** Simulated time from posting to the last completion, ps. */
  readonly took: number;
  /** When data frame `lost[0]` and the NIC's first report of a loss were sent, and the first frame that was sent again; ps, -1 = never. */
  readonly lostAt: number;
  readonly reportedAt: number;
  readonly againAt: number;
  /** Data frames that were sent again. */
  readonly again: number;
  /** Time-outs of the sender. */
  readonly timeouts: number;
}

/** Time of a full packet on the wire, ps. */
export function packetTime(mtu: number, gbps = 100): number {
  return ((mtu + HEADERS + BETWEEN) * 8000) / gbps;
}

export function stream(options: StreamOptions): StreamTimes {
  const { mtu, messages, length, loss = 0, lost = [], late } = options;
  const region = 1 << Math.ceil(Math.log2(length));
  const pair = new BluePair({
    regionBytes: region,
    ...options,
    attributes: { mtu, timeout: 6, ...options.attributes },
  });
  const [a, b] = pair.ends;
  const { link, scheduler } = pair.world;
  const draws = new FastStream('frames of a stream');
  let [first, last, lostAt, reportedAt, againAt, again] = [-1, 0, -1, -1, -1, 0];
  link.keep = false;
  link.fate = ({ from, index, bytes }) => {
    const end = (link.ends[from] as (typeof link.ends)[number]).freeAt;
    const isAnswer = bytes[42] === 0x11;
    if (from === 0 && !isAnswer) {
      if (first < 0) first = end - ((bytes.length + BETWEEN) * 8000) / 100;
      last = end;
      if (((bytes[43] as number) & 0x40) !== 0) {
        again++;
        if (againAt < 0) againAt = end;
        return loss > 0 && draws.chance(loss) ? [] : [0];
      }
      if (lost.includes(index)) {
        if (lostAt < 0) lostAt = end;
        return [];
      }
      if (late !== undefined && index % late.every === late.every - 1) return [late.packets * packetTime(mtu)];
    } else if (from === 1 && isAnswer && bytes[86] === 0xc0 && reportedAt < 0) reportedAt = end;
    return loss > 0 && draws.chance(loss) ? [] : [0];
  };
  const took = pair.run(
    (function* () {
      const start = scheduler.now;
      const wrs = Array.from({ length: messages }, (_, wrId) => write(a, b, length, { wrId }));
      yield* a.api.postSend(a.qp, wrs, messages);
      yield* pair.take(a, messages);
      return scheduler.now - start;
    })(),
  );
  const bits = messages * length * 8;
  return {
    wireGbps: (bits * 1000) / (last - first),
    goodput: (bits * 1000) / took,
    ...{ took, lostAt, reportedAt, againAt, again },
    timeouts: a.driver.timeouts.expired,
  };
}
