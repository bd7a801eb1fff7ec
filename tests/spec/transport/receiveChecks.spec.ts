/**
 * What a receiver finds wrong with a packet (roce-transport.md 3.6, 4.1, 4.2), shown with frames that are altered on their way
 * and whose sums are made right again.
 */

import { expect } from 'chai';
import type { LinkVerdict } from '../../../agents/link/linkFaults.ts';
import type { FrameItem } from '../../../agents/link/linkItems.ts';
import { RecvWr, SendWr } from '../../../agents/verbs/verbsItems.ts';
import type { HanguCounters } from '../../../dut-model/hangu/model/core.ts';
import { QP_TYPE, type QpType, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { CHECK_LEVEL } from '../../../scoreboard/model/options.ts';
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { Run } from '../../../uvm/run.ts';
import { type End, RcConnection } from '../support/rcConnection.ts';
import { setIcrc } from '../agents/support/roceFrame.ts';

const US = 1_000_000;
const NETWORK = 14;
const { success, remInvReqErr, remAccessErr, badRespErr, wrFlushErr } = WC_STATUS;

/** A frame on its way: its bytes, and offsets of its headers. */
interface Frame {
  readonly bytes: number[];
  readonly ipv6: boolean;
  readonly bth: number;
}

/** Changes a frame of host `from`, which is the `n`-th of that host. @returns whether it has */
type Alter = (frame: Frame, from: number, n: number) => boolean;

interface Case {
  readonly alter: Alter;
  readonly service?: QpType;
  readonly ipv6?: boolean;
  readonly opcode?: number;
  readonly requests?: number;
}

class Altered extends RcConnection {
  static example: Case;
  readonly statuses: number[] = [];
  protected readonly settings = { lossAllowed: true, checkLevel: CHECK_LEVEL.off };
  protected override readonly service = Altered.example.service ?? QP_TYPE.rc;
  protected override readonly attributes = { ipv6: Altered.example.ipv6 ?? false };
  readonly #sent = [0, 0];

  protected override *traffic(a: End, b: End): Proc {
    this.env.link.faults = { judge: (frame, verdict) => this.#judge(frame, verdict) };
    const { opcode = WR_OPCODE.send, requests = 1, ipv6 = false } = Altered.example;
    const ah = a.api.createAh(a.pd, 1, { ipv6 }).index;
    const request = (i: number): SendWr => {
      const wr = Object.assign(new SendWr(), { wrId: i, opcode, ah, remoteQpn: b.qp.qpn, remoteQkey: b.qp.qkey });
      wr.setNumSge(1);
      Object.assign(wr.sges[0] as object, { hi: a.source.hi, lo: a.source.lo, length: 64, lkey: a.source.key });
      return Object.assign(wr, { remoteHi: b.target.hi, remoteLo: b.target.lo, rkey: b.target.key });
    };
    const receive = new RecvWr();
    receive.setNumSge(1);
    Object.assign(receive.sges[0] as object, { hi: b.target.hi, lo: b.target.lo, length: 200, lkey: b.target.key });
    yield* b.api.postRecv(b.qp, [receive, receive, receive], 3);
    yield* a.api.postSend(
      a.qp,
      Array.from({ length: requests }, (_, i) => request(i)),
      requests,
    );
    this.statuses.push(...(yield* this.take(a, requests, (wc) => wc.status)));
    yield* delay(20 * US);
  }

  #judge(frame: FrameItem, verdict: LinkVerdict): void {
    const n = this.#sent[frame.host] as number;
    this.#sent[frame.host] = n + 1;
    verdict.edit = {
      edit: (store: ByteStore, data: number, length: number): number => {
        const bytes = [...store.u8.subarray(data, data + length)];
        const ipv6 = bytes[12] === 0x86;
        const bth = NETWORK + (ipv6 ? 40 : 20) + 8;
        if (!Altered.example.alter({ bytes, ipv6, bth }, frame.host, n)) return length;
        makeRight(bytes, ipv6, bth);
        store.u8.set(bytes, data);
        return length;
      },
    };
  }
}

/** Header checksum and ICRC. */
function makeRight(bytes: number[], ipv6: boolean, bth: number): void {
  if (!ipv6) {
    bytes.fill(0, NETWORK + 10, NETWORK + 12);
    let sum = 0;
    for (let i = NETWORK; i < NETWORK + 20; i += 2) sum += ((bytes[i] as number) << 8) | (bytes[i + 1] as number);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
    bytes[NETWORK + 10] = (~sum >> 8) & 255;
    bytes[NETWORK + 11] = ~sum & 255;
  }
  const udpLength = ((bytes[bth - 4] as number) << 8) | (bytes[bth - 3] as number);
  setIcrc(bytes, NETWORK, ipv6, bth - 8 + udpLength - 4);
}

function played(example: Case): Altered {
  Altered.example = example;
  const run = new Run({ seed: 1, testName: 'altered', sink: () => {} });
  run.factory.register('altered', Altered);
  run.runTest();
  return run.root.find('uvm_test_top') as Altered;
}

/** Changes a byte, relative to the IP header or to the BTH, of the first frame of a host. */
function first(host: number, header: 'ip' | 'bth', at: number, mask: number): Alter {
  return ({ bytes, bth }, from, n) => {
    const i = at + (header === 'ip' ? NETWORK : bth);
    if (from === host && n === 0) bytes[i] = (bytes[i] as number) ^ mask;
    return from === host && n === 0;
  };
}

const SOURCE4 = 15;
const DESTINATION4 = 19;
const SOURCE6 = 8 + 14;
const DESTINATION6 = 24 + 14;
const PKEY = 3;

describe('a receiver', () => {
  describe('drops and counts', () => {
    const rc = QP_TYPE.rc;
    const dropped: [string, keyof HanguCounters, number, QpType, boolean, Alter][] = [
      ['a request from another address', 'badAddress', 1, rc, false, first(0, 'ip', SOURCE4, 0x40)],
      ['a request to another address', 'badAddress', 1, rc, false, first(0, 'ip', DESTINATION4, 0x40)],
      ['a request from another IPv6 address', 'badAddress', 1, rc, true, first(0, 'ip', SOURCE6, 0x40)],
      ['a request to another IPv6 address', 'badAddress', 1, rc, true, first(0, 'ip', DESTINATION6, 0x40)],
      ['an answer from another address', 'badAddress', 0, rc, false, first(1, 'ip', SOURCE4, 0x40)],
      ['an answer from another IPv6 address', 'badAddress', 0, rc, true, first(1, 'ip', SOURCE6, 0x40)],
      ['a request of another partition', 'badPkey', 1, rc, false, first(0, 'bth', PKEY, 1)],
      ['an answer of another partition', 'badPkey', 0, rc, false, first(1, 'bth', PKEY, 1)],
      ['a datagram to another address', 'badAddress', 1, QP_TYPE.ud, false, first(0, 'ip', DESTINATION4, 0x40)],
      ['a datagram to another IPv6 address', 'badAddress', 1, QP_TYPE.ud, true, first(0, 'ip', DESTINATION6, 0x40)],
      ['a datagram with another Q_Key', 'badQkey', 1, QP_TYPE.ud, false, first(0, 'bth', 12, 1)],
      ['a packet of another service', 'badService', 1, rc, false, first(0, 'bth', 0, 0x20)],
      ['a packet to a queue pair that does not exist', 'noQp', 1, rc, false, first(0, 'bth', 5, 0x80)],
    ];
    for (const [what, counter, host, service, ipv6, alter] of dropped) {
      it(`${what}, and takes the same packet unaltered`, () => {
        const test = played({ alter, service, ipv6 });
        expect(test.statuses).to.deep.equal([success]);
        expect(test.nics[host]?.core.counters).to.include({ [counter]: 1, retransmissions: host === 0 ? 1 : 0 });
        expect(test.nics[1 - host]?.core.counters[counter]).to.equal(0);
      });
    }

    it('an answer to a queue pair that has none to expect, for its service', () => {
      const alter: Alter = ({ bytes, bth }, from) => {
        if (from === 0) bytes[bth] = 0x11;
        return from === 0;
      };
      const test = played({ alter, service: QP_TYPE.uc });
      expect(test.nics[1]?.core.counters.badService).to.equal(1);
    });
  });

  for (const opcode of [0x15, 0x18, 0x1f]) {
    it(`refuses the reserved operation 0x${opcode.toString(16)} of the reliable service`, () => {
      const alter: Alter = ({ bytes, bth }, from, n) => {
        if (from === 0 && n === 0) bytes[bth] = opcode;
        return from === 0 && n === 0;
      };
      expect(played({ alter }).statuses).to.deep.equal([remInvReqErr]);
    });
  }

  /** In the RETH, which follows the BTH. */
  const [RKEY, LENGTH] = [12 + 10, 12 + 15];
  const wrongWrite =
    (...changes: readonly number[]): Alter =>
    ({ bytes, bth }, from) => {
      if (from === 0) for (const at of changes) bytes[bth + at] = (bytes[bth + at] as number) ^ 0x80;
      return from === 0;
    };
  const writes: [string, number, Alter][] = [
    ['a WRITE that does not carry what it announces', remInvReqErr, wrongWrite(LENGTH)],
    ['a WRITE with a wrong key', remAccessErr, wrongWrite(RKEY)],
    ['a WRITE with both for its key', remAccessErr, wrongWrite(RKEY, LENGTH)],
  ];
  for (const [what, status, alter] of writes) {
    it(`refuses ${what}`, () => {
      expect(played({ alter, opcode: WR_OPCODE.rdmaWrite }).statuses).to.deep.equal([status]);
    });
  }

  describe('takes for a bad response', () => {
    const AETH = 12;
    /** Acknowledgements up to the last of three requests are lost, and that one is altered. */
    const lastAnswer =
      (at: number, value: number): Alter =>
      ({ bytes, bth }, from, n) => {
        if (from !== 1 || n > 2) return false;
        // Another UDP port: the packet is nobody's.
        if (n < 2) bytes[bth - 6] = 0;
        else bytes[bth + at] = value;
        return true;
      };
    const bad: [string, Alter][] = [
      ['a NAK with a reserved code', lastAnswer(AETH, 0x64)],
      ['a NAK with the last reserved code', lastAnswer(AETH, 0x7f)],
      ['an acknowledgement with a reserved type of syndrome', lastAnswer(AETH, 0x40)],
      ['an answer to a READ where there is none', lastAnswer(0, 0x10)],
    ];
    for (const [what, alter] of bad) {
      it(`${what}: what lies before it is done, and its request has failed`, () => {
        const test = played({ alter, requests: 3 });
        expect(test.statuses).to.deep.equal([success, success, badRespErr]);
        expect(test.nics[0]?.core.counters.retransmissions).to.equal(0);
      });
    }

    it('the same for a request in the middle, and flushes what follows', () => {
      const alter: Alter = ({ bytes, bth }, from, n) => {
        if (from !== 1 || n > 1) return false;
        if (n === 0) bytes[bth - 6] = 0;
        else bytes[bth + AETH] = 0x64;
        return true;
      };
      expect(played({ alter, requests: 3 }).statuses).to.deep.equal([success, badRespErr, wrFlushErr]);
    });
  });
});
