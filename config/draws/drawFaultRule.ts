/** Draws one fault rule of the link, as it would be typed, without `optional`. */
import type { RandomStream } from '../../uvm/random/randomStream.ts';

/** What loses, and what does not. */
const ACTIONS = [
  [10, 'drop'],
  [5, 'duplicate'],
  [4, 'delay'],
  [4, 'reorder'],
  [4, 'corrupt'],
  [3, 'mark'],
  [1, 'burst'],
  [1, 'rate'],
  [1, 'partition'],
  [1, 'link_down'],
] as const;
type Drawn = (typeof ACTIONS)[number][1];

const OPCODES = [
  ...['request', 'response', 'send', 'write', 'read_request', 'read_response', 'acknowledge'],
  ...['ack', 'nak', 'seq_nak', 'rnr_nak', 'send_first', 'send_middle', 'send_last', 'write_first', 'write_middle'],
  ...['write_last', 'read_response_first', 'read_response_middle', 'read_response_last', 'read_response_only'],
] as const;
const POSITIONS = ['first', 'middle', 'last', 'only'] as const;
const FIELDS = [
  ...['packet', 'packet', 'payload', 'icrc', 'psn', 'dest_qp', 'opcode', 'p_key'],
  ...['syndrome', 'msn', 'va', 'r_key', 'dma_length', 'udp_length'],
] as const;
/** Microseconds: bringing up takes 40 to 200. */
const [FIRST_WINDOW, LAST_WINDOW] = [40, 600];

const OWN_WORDS: Readonly<Record<Drawn, (stream: RandomStream) => string>> = {
  drop: () => '',
  duplicate: (s) => ` times=${s.pick([1, 1, 2, 5])} after=${s.pick(['1ns', '1us', '5us', '50us', '300us'])}`,
  delay: (s) => ` by=${s.pick(['2us', '1us..20us', 'exponential(10us)', '100us', '1us..300us'])}`,
  reorder: (s) => ` by=${s.pick(['1', '2', '1..4', '8'])}`,
  corrupt: (s) => ` field=${s.pick(FIELDS)}`,
  mark: () => '',
  burst: (s) => ` enter=${s.pick([0.005, 0.02])} leave=${s.pick([0.2, 0.5])} loss=${s.pick([0.5, 1])}`,
  rate: (s) => ` gbps=${s.pick([1, 5, 20])} queue=${s.pick(['4KB', '16KB', '64KB'])}`,
  partition: (s) => window(s),
  link_down: (s) => window(s),
};

/** A rule for some frames of one host or of all, of one kind or of all, once, now and then, or by chance. */
export function drawRule(stream: RandomStream, hosts: number): string {
  const action = stream.weighted(ACTIONS);
  const own = OWN_WORDS[action](stream);
  const isWindow = action === 'partition' || action === 'link_down';
  const host = isWindow || stream.chance(0.3) ? ` host=${stream.range(0, hosts - 1)}` : '';
  if (isWindow || action === 'burst' || action === 'rate') return `${action}${own}${host}`;
  return `${action}${own}${host}${kindOf(stream)}${rareness(stream, action === 'mark' || action === 'duplicate')}`;
}

function kindOf(stream: RandomStream): string {
  return stream.weighted([
    [6, ` opcode=${stream.pick(OPCODES)}`],
    [2, ` position=${stream.pick(POSITIONS)}`],
    [2, ' transmission=retransmission'],
    [1, ` relpsn=${stream.range(0, 12)}`],
    [1, ` relpsn=${stream.range(0, 6)} round=0..${stream.range(0, 3)}`],
    [1, ` service=${stream.pick(['rc', 'uc', 'ud'])}`],
    [2, ''],
  ]);
}

/** How often a frame is hit that is of the kind. */
function rareness(stream: RandomStream, isHarmless: boolean): string {
  const nth = stream.range(1, 8);
  const every = isHarmless ? stream.range(1, 6) : stream.range(6, 40);
  return stream.weighted([
    [4, ` nth=${nth}`],
    [2, ` nth=${nth}..${nth + stream.range(1, 4)}`],
    [3, ` every=${every}`],
    [3, ` probability=${stream.pick([1, 3, 10])}%`],
  ]);
}

function window(stream: RandomStream): string {
  const from = stream.range(FIRST_WINDOW, LAST_WINDOW);
  return ` from=${from}us until=${from + stream.pick([5, 20, 60])}us`;
}
