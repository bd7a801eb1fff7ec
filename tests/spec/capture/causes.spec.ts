/** Captures that show what reaches a NIC: what it answers, refuses, notifies of and sends again must have a cause there. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { captureSummary } from '../../../bin/capture/captureTexts.ts';
import { type JudgedCapture, judgeCapture } from '../../../bin/capture/judgeCapture.ts';
import { main as hcaTest } from '../../../bin/hcaTest.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { BTH_OP, OPCODE_CNP } from '../../../rdma/bth.ts';
import { ACK_TIMER_PS } from '../../../rdma/timers.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { type Captured, captureOf, changed, FORMATS, framesOf, transportOf } from './captureFiles.ts';

const [RECEIVED, SENT] = [1, 2];
const NG = FORMATS.find(({ ng, little, nanoseconds }) => ng && little && nanoseconds) as (typeof FORMATS)[number];
const RC =
  '+RC_QP_NUM=2 +UC_QP_NUM=0 +UD_QP_NUM=0 +DB_NUM=2 +SEND_WQE_NUM=3 +RECV_WQE_NUM=3 +WRITE_WQE_NUM=3 +READ_WQE_NUM=3 +SG_NUM=1 ' +
  '+DATA_CNT=1501 +DATA_UNIT=B +MTU=1024 +ACK_TIMEOUT=6';
const FAULTS =
  '+NET_FAULT=drop probability=0.03;duplicate every=31 times=2 after=3us;delay every=41 by=1us..8us;reorder every=37 by=1..4';
const { acknowledge } = BTH_OP;

describe('rules of causes', function () {
  this.timeout(60_000);
  let folder = '';
  let healthy: readonly Captured[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'causes-'));
    healthy = await capturedBy(RC);
  });
  after(() => rmSync(folder, { recursive: true }));

  async function capturedBy(line: string, ...more: string[]): Promise<Captured[]> {
    const out = new CapturedOutput();
    const file = join(folder, 'wire.pcapng');
    const test = line.includes('+UVM_TEST_SEQ=') ? 'test_sequence' : 'test_direct_param';
    const argv = [`+UVM_TESTNAME=${test}`, ...line.split(' '), ...more, `--pcap=${file}`, '--quiet', '--out', folder];
    expect(await hcaTest(argv, { registry: await loadRegistry(), out, err: out, env: {} }), out.text).to.equal(0);
    return framesOf(readFileSync(file));
  }

  function judged(frames: readonly Captured[]): JudgedCapture {
    const path = join(folder, 'case.pcap');
    writeFileSync(path, captureOf(frames, NG));
    const ackTimeout = ACK_TIMER_PS[6] as number;
    const result = judgeCapture({ file: path, sent: false, off: [], ackTimeout, most: 100 });
    if (typeof result === 'string') throw new Error(result);
    return result;
  }

  function findingsOf(frames: readonly Captured[]): string[] {
    return judged(frames).judge.findings.kept.map(({ id, frame }) => `${frame} ${id}`);
  }

  const opcodeOf = ({ bytes }: Captured): number => bytes[transportOf(bytes)] as number;
  const psnOf = ({ bytes }: Captured): number => bytes.readUIntBE(transportOf(bytes) + 9, 3);
  const isSent = ({ direction }: Captured): boolean => direction === SENT;
  const arrivesLater = (frame: Captured) => (other: Captured) =>
    other.direction === RECEIVED && other.bytes.equals(frame.bytes);

  it('find nothing in captures of runs, under faults of the link and with marks too', async () => {
    expect(findingsOf(healthy)).to.deep.equal([]);
    expect(healthy.filter(isSent)).to.have.lengthOf(healthy.length / 2);
    for (const faults of [FAULTS, '+NET_FAULT=mark every=4'])
      expect(findingsOf(await capturedBy(RC, faults)), faults).to.deep.equal([]);
  });

  it('are off, and named, where it is not known what arrives', () => {
    const sent = healthy.filter(isSent);
    const undirected = healthy.filter(isSent).map((frame) => ({ ...frame, direction: 0 }));
    for (const frames of [sent, undirected]) {
      const request = { file: 'f', off: [] };
      expect(captureSummary(request, judged(frames))).to.match(
        /off: WIRE_UNPROVOKED, .*: both what arrives .* of no NIC/,
      );
    }
    expect(captureSummary({ file: 'f', off: [] }, judged(healthy))).to.not.contain('off: WIRE_UNPROVOKED');
  });

  it('judge a NIC alone of which both directions were captured', () => {
    const atFirst = healthy.filter(({ interfaceId }) => interfaceId === 0);
    expect(findingsOf(atFirst)).to.deep.equal([]);
    expect(captureSummary({ file: 'f', off: [] }, judged(atFirst))).to.contain('known of only 1 of 2 addresses');
  });

  describe('name the frame of', () => {
    it('an acknowledgement of a packet that has not arrived', () => {
      const at = healthy.findLastIndex((frame) => isSent(frame) && opcodeOf(frame) === BTH_OP.writeLast);
      const lost = healthy[at] as Captured;
      const frames = healthy.filter((frame) => !arrivesLater(lost)(frame));
      const answer = frames.findIndex((frame, i) => i > at && isSent(frame) && isAckOf(frame, lost));
      expect(findingsOf(frames)[0]).to.equal(`${answer + 1} WIRE_ACK_UNARRIVED`);
    });

    it('an answer to a READ that has not arrived', () => {
      const at = healthy.findLastIndex((frame) => isSent(frame) && opcodeOf(frame) === BTH_OP.readRequest);
      const lost = healthy[at] as Captured;
      const frames = healthy.filter((frame) => !arrivesLater(lost)(frame));
      const isAnswer = (frame: Captured): boolean =>
        isSent(frame) && frame.interfaceId !== lost.interfaceId && psnOf(frame) === psnOf(lost);
      const answer = frames.findIndex((frame, i) => i > at && isAnswer(frame));
      expect(findingsOf(frames)[0]).to.equal(`${answer + 1} WIRE_ACK_UNARRIVED`);
    });

    it('a NAK for a packet behind which nothing has arrived', () => {
      const at = healthy.findLastIndex((frame) => isSent(frame) && opcodeOf(frame) === acknowledge);
      const ack = healthy[at] as Captured;
      const nak = changed(ack, (bytes, bth) => {
        bytes.writeUInt8(0x60, bth + 12);
        bytes.writeUIntBE((psnOf(ack) + 1) & 0xffffff, bth + 9, 3);
      });
      const isBehind = (frame: Captured): boolean =>
        frame.direction === RECEIVED && frame.interfaceId === ack.interfaceId && psnOf(frame) > psnOf(ack);
      const before = healthy.slice(0, at).filter((frame) => !isBehind(frame));
      expect(findingsOf([...before, nak, ...healthy.slice(at + 1)])).to.include(`${before.length + 1} WIRE_NAK`);
    });

    it('a congestion notification when nothing has arrived marked', async () => {
      const frames = await capturedBy(RC, '+NET_FAULT=mark every=4');
      const unmarked = frames.map((frame) =>
        frame.direction === RECEIVED
          ? changed(frame, (bytes) => void bytes.writeUInt8((bytes[15] as number) & ~3, 15))
          : frame,
      );
      const first = frames.findIndex((frame) => isSent(frame) && opcodeOf(frame) === OPCODE_CNP);
      expect(first).to.be.greaterThan(0);
      expect(findingsOf(unmarked)[0]).to.equal(`${first + 1} WIRE_CNP_UNMARKED`);
    });

    it('a packet that is sent again before its time-out', () => {
      const isOne = (frame: Captured): boolean => isSent(frame) && opcodeOf(frame) === BTH_OP.writeLast;
      const at = healthy.findLastIndex(isOne);
      const again = { ...(healthy[at] as Captured), ns: (healthy[at] as Captured).ns + 50_000 };
      // Its requester hears nothing any more.
      const isHeard = (frame: Captured): boolean =>
        frame.direction === RECEIVED &&
        frame.interfaceId === again.interfaceId &&
        opcodeOf(frame) >= BTH_OP.readResponseFirst;
      const unheard = healthy.filter((frame, i) => i <= at || !isHeard(frame));
      const before = unheard.filter(({ ns }, i) => i <= at || ns < again.ns).length;
      const frames = [...unheard.slice(0, before), again, ...unheard.slice(before)];
      expect(findingsOf(frames)[0]).to.equal(`${before + 1} WIRE_UNPROVOKED`);
    });

    it('a packet that does not wait for as long as an RNR NAK has asked for', async () => {
      const frames = await capturedBy(
        '+UVM_TEST_SEQ=late_receives +RC_QP_NUM=1 +UC_QP_NUM=0 +UD_QP_NUM=0 +ACK_TIMEOUT=6',
      );
      expect(findingsOf(frames)).to.deep.equal([]);
      const isNotReady = ({ bytes }: Captured): boolean =>
        bytes[transportOf(bytes)] === acknowledge && (bytes[transportOf(bytes) + 12] as number) >> 5 === 1;
      const longer = frames.map((frame) =>
        isNotReady(frame) ? changed(frame, (bytes, bth) => void bytes.writeUInt8(0x3f, bth + 12)) : frame,
      );
      expect(findingsOf(longer).map((finding) => finding.split(' ')[1])).to.include('WIRE_RNR');
    });
  });

  /** Whether an acknowledgement goes the other way, and names the PSN of a packet. */
  function isAckOf(frame: Captured, request: Captured): boolean {
    return (
      opcodeOf(frame) === acknowledge && frame.interfaceId !== request.interfaceId && psnOf(frame) === psnOf(request)
    );
  }
});
