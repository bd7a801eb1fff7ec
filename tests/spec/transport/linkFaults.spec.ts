/**
 * What a NIC does about frames that a link loses, repeats, disorders, damages or marks, one rule at a time and packet by
 * packet (roce-transport.md 3.5 to 3.9, 7.1, 8). The identifiers are those of its section 10; docs/checks.md names them.
 */

import { expect } from 'chai';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import type { RunResult } from '../../../bin/run/runSpec.ts';
import { NS, US } from '../../../uvm/kernel/time.ts';

const NAK_SEQUENCE = 0x60;
const ACK = 0x1f;
/** Packets of 256 B from PSN 0 on, from host 0 to host 1 alone. */
const ONE_WAY = [
  ...['+ONE_SIDE_LAUNCH=1', '+PSN=0', '+MTU=256', '+SG_NUM=1', '+DB_NUM=1', '+IMM=0', '+UVM_VERBOSITY=UVM_DEBUG'],
  ...['+SEND_WQE_NUM=0', '+DATA_UNIT=B'],
];
const PACKET =
  /UVM_INFO @ ([\d.]+)ns: .*\[WIRE_PACKET\] host (\d+).*? to host \d+.*?: (?:RC |UC |UD )?(\w+)(?:, PSN 0x([0-9a-f]+))?(.*)/g;

interface Packet {
  /** ps */
  readonly time: number;
  readonly host: number;
  readonly operation: string;
  readonly psn: number;
  readonly syndrome: number;
  /** Of a READ or WRITE request, bytes. */
  readonly length: number;
}

interface Played extends RunResult {
  readonly log: string;
  readonly packets: readonly Packet[];
}

describe('a link that does one thing to one frame', () => {
  let registry: Registry;

  before(async () => {
    registry = await loadRegistry();
  });

  function play(work: readonly string[], ...rules: readonly string[]): Played {
    const log: string[] = [];
    const own = new Set(work.map((arg) => arg.split('=')[0]));
    const base = ONE_WAY.filter((arg) => !own.has(arg.split('=')[0]));
    const faults = rules.map((rule) => `+NET_FAULT=${rule}`);
    const plusargs = ['+UVM_TESTNAME=test_direct_param', ...work, ...base, ...faults];
    const result = runOne({ testName: 'test_direct_param', seed: 1, plusargs }, registry, {
      sink: (text) => log.push(text),
    });
    const text = log.join('\n');
    return { ...result, log: text, packets: [...text.matchAll(PACKET)].map(packetOf) };
  }

  function passing(work: readonly string[], ...rules: readonly string[]): Played {
    const run = play(work, ...rules);
    expect(run.verdict, run.log).to.equal('passed');
    return run;
  }

  const writes = (count: number, bytes: number, ...more: readonly string[]): string[] => [
    ...['+RC_QP_NUM=1', `+WRITE_WQE_NUM=${count}`, `+DATA_CNT=${bytes}`, '+READ_WQE_NUM=0', ...more, '+ACK_TIMEOUT=5'],
  ];
  const reads = (count: number, bytes: number, ...more: readonly string[]): string[] => [
    ...['+RC_QP_NUM=1', `+READ_WQE_NUM=${count}`, `+DATA_CNT=${bytes}`, '+WRITE_WQE_NUM=0', ...more, '+ACK_TIMEOUT=5'],
  ];
  const sends = (service: string, count: number, bytes: number, ...more: readonly string[]): string[] => [
    ...[`+${service}_QP_NUM=1`, `+SEND_WQE_NUM=${count}`, `+RECV_WQE_NUM=${count}`, `+DATA_CNT=${bytes}`],
    ...['+WRITE_WQE_NUM=0', '+READ_WQE_NUM=0', ...more, '+ACK_TIMEOUT=5'],
  ];

  for (const [what, rule] of [
    ['is lost', 'drop psn=1 round=0'],
    ['is damaged (T-014)', 'corrupt field=payload psn=1 round=0'],
  ] as const) {
    it(`has one NAK and a return to the packet that ${what} (T-020)`, () => {
      const { packets } = passing(writes(1, 1000), rule);
      expect(naks(packets)).to.deep.equal([1]);
      expect(psnsOf(packets, 0)).to.deep.equal([0, 1, 2, 3, 1, 2, 3]);
    });
  }

  it('has one NAK for a gap, however many packets follow, and another for the next gap (T-021)', () => {
    const { packets } = passing(writes(2, 2000), 'drop psn=1 round=0', 'drop psn=9 round=1');
    expect(naks(packets)).to.deep.equal([1, 9]);
  });

  it('lets the time-out help where the NAK is lost (T-022)', () => {
    const { packets } = passing(writes(1, 1000), 'drop psn=1 round=0', 'drop opcode=seq_nak nth=1');
    const [first, again] = packets.filter(({ host, psn }) => host === 0 && psn === 1);
    expect(naks(packets)).to.deep.equal([1]);
    expect((again as Packet).time - (first as Packet).time).to.be.within(131 * US, 4 * 132 * US);
  });

  it('has a request repeated whose acknowledgement is lost, and executed once (T-023)', () => {
    const { packets, counts } = passing(sends('RC', 1, 100), 'drop opcode=ack nth=1');
    expect(psnsOf(packets, 0)).to.deep.equal([0, 0]);
    expect(answers(packets).map(({ psn, syndrome }) => [psn, syndrome])).to.deep.equal([
      [0, ACK],
      [0, ACK],
    ]);
    expect(counts['receives_done']).to.equal(1);
  });

  it('takes what comes again from before the wrap of the PSN for that (T-024)', () => {
    const wrapped = writes(4, 1000, '+PSN=0xfffffe');
    const { packets } = passing(wrapped, 'duplicate opcode=write every=2 after=2us');
    expect(naks(packets)).to.deep.equal([]);
    expect(packets.some(({ psn }) => psn === 0xffffff) && packets.some(({ psn }) => psn === 0)).to.equal(true);
  });

  for (const retries of [0, 2, 7]) {
    it(`shows the first packet 1 + ${retries} times to a peer that nobody hears, and ends with RETRY_EXC_ERR (T-025, T-026)`, () => {
      const { packets, log } = passing(writes(1, 100, `+RETRY_CNT=${retries}`), 'drop host=1');
      expect(psnsOf(packets, 0)).to.deep.equal(Array.from({ length: retries + 1 }, () => 0));
      expect(log).to.contain('RETRY_EXC_ERR');
    });
  }

  it('reloads the retries with every progress (T-026)', () => {
    const { log, packets } = passing(
      writes(3, 1000, '+RETRY_CNT=1'),
      ...[1, 4, 7, 10].map((psn, round) => `drop psn=${psn} round=${round}`),
    );
    expect(naks(packets)).to.deep.equal([1, 4, 7, 10]);
    expect(log).not.to.contain('RETRY_EXC_ERR');
  });

  for (const [code, us] of [
    [1, 8.192],
    [8, 1048.576],
  ] as const) {
    it(`waits ${us} us for an answer with the code ${code} (T-027)`, () => {
      const { packets } = passing(
        writes(1, 100, `+ACK_TIMEOUT=${code}`, '+RETRY_CNT=1'),
        'drop host=1 opcode=ack nth=1',
      );
      const [first, again] = packets.filter(({ host }) => host === 0);
      expect((again as Packet).time - (first as Packet).time).to.be.within(us * US, 4 * us * US + US);
    });
  }

  it('ignores acknowledgements that come again late (T-028)', () => {
    const { packets } = passing(writes(6, 1000), 'duplicate opcode=ack after=3us times=3');
    const psns = psnsOf(packets, 0);
    expect(psns).to.deep.equal([...new Set(psns)]);
  });

  for (const [position, k] of [
    ['first', 0],
    ['middle', 1],
    ['last', 3],
  ] as const) {
    it(`has the rest of a READ asked for whose ${position} answer is lost (T-038)`, () => {
      const { packets } = passing(reads(1, 1000), `drop opcode=read_response_${position} nth=1`);
      const requests = packets.filter(({ operation }) => operation === 'READ_REQUEST');
      expect(requests.map(({ psn, length }) => [psn, length])).to.deep.equal([
        [0, 1000],
        [k, 1000 - 256 * k],
      ]);
    });
  }

  it('answers no READ again that is older than what must be known (T-040)', () => {
    const { packets } = passing(reads(4, 100, '+MAX_RD_ATOMIC=1'), 'duplicate opcode=read_request psn=0 after=30us');
    expect(answers(packets).filter(({ psn }) => psn === 0)).to.have.length(1);
  });

  it('asks for a READ again before its time-out when an answer behind it comes (T-041)', () => {
    const { packets } = passing(reads(2, 100), 'drop opcode=read_response_only psn=0 round=0');
    const [first, , again] = packets.filter(({ operation }) => operation === 'READ_REQUEST');
    expect(again).to.include({ psn: 0, length: 100 });
    expect((again as Packet).time - (first as Packet).time).to.be.below(50 * US);
  });

  it('ends a message of UC in which a packet is missing, and takes the next one (T-087)', () => {
    const { log } = passing(sends('UC', 3, 1000), 'drop psn=1');
    expect(receives(log)).to.deep.equal(['SUCCESS', 'SUCCESS', 'WR_FLUSH_ERR']);
  });

  it('takes the message of UC behind one that is lost (T-088)', () => {
    const { log } = passing(sends('UC', 3, 100), 'drop psn=1');
    expect(receives(log)).to.deep.equal(['SUCCESS', 'SUCCESS', 'WR_FLUSH_ERR']);
  });

  it('may lose a datagram, and the next one takes its receive', () => {
    const { log } = passing(sends('UD', 3, 100), 'drop nth=2');
    expect(receives(log)).to.deep.equal(['SUCCESS', 'SUCCESS', 'WR_FLUSH_ERR']);
  });

  it('has a CNP for a marked packet, no more than one in an interval, and none without a mark (T-096)', () => {
    const cnps = (rule: string, ...more: readonly string[]): Packet[] =>
      passing(writes(12, 2000, '+ECN=1', ...more), rule).packets.filter(({ operation }) => /CNP/.test(operation));
    expect(cnps('drop psn=0 nth=9 optional')).to.deep.equal([]);
    expect(cnps('mark psn=3')).to.have.length(1);
    const paced = cnps('mark', '+NIC_CNP_NS=2000');
    expect(paced).to.have.length.above(1);
    for (const [i, { time }] of paced.entries())
      if (i > 0) expect(time - (paced[i - 1] as Packet).time).to.be.at.least(1900 * NS);
  });

  it('is not disturbed by CNPs, whole or damaged (T-097)', () => {
    for (const rule of ['duplicate opcode=cnp times=3', 'corrupt opcode=cnp field=packet']) {
      const { packets } = passing(writes(12, 2000, '+NIC_CNP_NS=500'), 'mark', rule);
      const psns = psnsOf(packets, 0);
      expect(psns, rule).to.deep.equal([...new Set(psns)]);
    }
  });
});

function packetOf(match: RegExpMatchArray): Packet {
  const [, ns = '', host = '', operation = '', psn = '0', rest = ''] = match;
  const syndrome = /syndrome 0x([0-9a-f]+)/.exec(rest)?.[1];
  const length = /(\d+) B of data/.exec(rest)?.[1];
  return {
    time: Number(ns) * NS,
    host: Number(host),
    operation,
    psn: Number.parseInt(psn, 16),
    syndrome: syndrome === undefined ? -1 : Number.parseInt(syndrome, 16),
    length: length === undefined ? -1 : Number(length),
  };
}

function psnsOf(packets: readonly Packet[], from: number): number[] {
  return packets.filter(({ host, operation }) => host === from && !/CNP/.test(operation)).map(({ psn }) => psn);
}

function answers(packets: readonly Packet[]): Packet[] {
  return packets.filter(({ host }) => host === 1);
}

/** PSNs of the NAKs for gaps. */
function naks(packets: readonly Packet[]): number[] {
  return answers(packets).flatMap(({ psn, syndrome }) => (syndrome === NAK_SEQUENCE ? [psn] : []));
}

/** How the receives of host 1 ended. */
function receives(log: string): string[] {
  return [...log.matchAll(/\[HCA_COMPLETION\] .*?host 1 QP.*?\b(SUCCESS|WR_FLUSH_ERR)\b/g)].map(
    ([, status]) => status as string,
  );
}
