/** Captures of RoCEv2 are judged by the rules of the wire: healthy ones pass in every format, a wrong frame is found by its number. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type JudgedCapture, judgeCapture } from '../../../bin/capture/judgeCapture.ts';
import { main as hcaRegress } from '../../../bin/hcaRegress.ts';
import { main as hcaTest } from '../../../bin/hcaTest.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { ACK_TIMER_PS } from '../../../rdma/timers.ts';
import { BTH_OP } from '../../../rdma/bth.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { type Captured, captureOf, changed, FORMATS, framesOf, tagged, transportOf } from './captureFiles.ts';

const SENT = 2;
const NG = FORMATS.find(({ ng, little, nanoseconds }) => ng && little && nanoseconds) as (typeof FORMATS)[number];
const MIXED =
  '+RC_QP_NUM=3 +UC_QP_NUM=1 +UD_QP_NUM=1 +DB_NUM=2 +SEND_WQE_NUM=3 +RECV_WQE_NUM=3 +WRITE_WQE_NUM=3 +READ_WQE_NUM=3 ' +
  '+SG_NUM=2 +DATA_CNT=1501 +DATA_UNIT=B +MTU=1024';
const FAULTS =
  '+NET_FAULT=drop probability=0.02;duplicate every=31 times=2 after=3us;delay every=41 by=1us..8us;reorder every=37 by=1..4';

describe('check-pcap', function () {
  this.timeout(60_000);
  let folder = '';
  let healthy: readonly Captured[] = [];
  let faulty: readonly Captured[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'check-pcap-'));
    healthy = await capturedBy('healthy');
    faulty = await capturedBy('faulty', FAULTS, '+ACK_TIMEOUT=6');
  });
  after(() => rmSync(folder, { recursive: true }));

  async function capturedBy(name: string, ...more: string[]): Promise<Captured[]> {
    const out = new CapturedOutput();
    const file = join(folder, `${name}.pcapng`);
    const test = more.some((arg) => arg.startsWith('+UVM_TEST_SEQ=')) ? 'test_sequence' : 'test_direct_param';
    const argv = [`+UVM_TESTNAME=${test}`, ...MIXED.split(' '), ...more, `--pcap=${file}`, '--quiet'];
    const options = { registry: await loadRegistry(), out, err: out, env: {} };
    expect(await hcaTest([...argv, '--out', folder], options), out.text).to.equal(0);
    // As they left their NICs; causes.spec.ts has them as they arrive as well.
    return framesOf(readFileSync(file)).filter(({ direction }) => direction === SENT);
  }

  function judged(file: Buffer, sent = false): JudgedCapture | string {
    const path = join(folder, 'case.pcap');
    writeFileSync(path, file);
    return judgeCapture({ file: path, sent, off: [], ackTimeout: ACK_TIMER_PS[1] as number, most: 100 });
  }

  function findingsOf(frames: readonly Captured[], format = NG): string[] {
    const result = judged(captureOf(frames, format));
    if (typeof result === 'string') throw new Error(result);
    return result.judge.findings.kept.map(({ id, frame }) => `${frame} ${id}`);
  }

  /** Number of the first frame from `from` on, from 0 on, of an RC packet with one of these operations that `suits`. */
  function firstOf(ops: readonly number[], suits: (at: number) => boolean = () => true, from = 10): number {
    return healthy.findIndex(
      ({ bytes }, i) => i >= from && ops.includes(bytes[transportOf(bytes)] as number) && suits(i),
    );
  }

  function withFrame(at: number, ...frames: readonly Captured[]): Captured[] {
    return [...healthy.slice(0, at), ...frames, ...healthy.slice(at + 1)];
  }

  it('finds nothing in a capture of a run, nor in one under loss, repetition, delay and disorder', () => {
    expect(healthy.length).to.be.greaterThan(100);
    expect(faulty.length).to.be.greaterThan(healthy.length);
    for (const frames of [healthy, faulty]) expect(findingsOf(frames)).to.deep.equal([]);
  });

  it('reads pcap and pcapng, microseconds and nanoseconds, in both byte orders, to the same verdict', () => {
    const at = firstOf([BTH_OP.sendLast, BTH_OP.writeLast]);
    const frames = withFrame(
      at,
      changed(healthy[at] as Captured, (bytes, bth) => bytes.writeUInt8(0x1f, bth)),
    );
    for (const format of FORMATS) {
      const wrong = findingsOf(frames, format).filter((finding) => finding.endsWith('WIRE_OPCODE'));
      expect(wrong, format.name).to.deep.equal([`${at + 1} WIRE_OPCODE`]);
    }
  });

  it('leaves packets alone that the testbench put in, as their comments say', async () => {
    for (const sequence of ['dropped_packets', 'refused_packets']) {
      await capturedBy('injected', `+UVM_TEST_SEQ=${sequence}`, '+SEQ_COUNT=1');
      const file = readFileSync(join(folder, 'injected.pcapng'));
      const result = judged(file);
      if (typeof result === 'string') throw new Error(result);
      expect(result.judge.findings.kept, sequence).to.deep.equal([]);
      expect(result.judge.counts.injected).to.be.greaterThan(0);
      expect(findingsOf(asIfSent(framesOf(file))), `${sequence} without comments`).to.not.deep.equal([]);
    }
  });

  it('reads frames with a VLAN tag and frames that end with their check sequence', () => {
    const sequence = Buffer.alloc(4);
    const closed = (bytes: Buffer): Captured['bytes'] => {
      sequence.writeUInt32LE(crc32(bytes));
      return Buffer.concat([bytes, sequence]);
    };
    expect(findingsOf(healthy.map(tagged))).to.deep.equal([]);
    expect(findingsOf(healthy.map((frame) => ({ ...frame, bytes: closed(frame.bytes) })))).to.deep.equal([]);
  });

  it('takes a capture over IPv6', async () => {
    const frames = await capturedBy('ipv6', '+IPV6=1');
    expect(frames.some(({ bytes }) => bytes.readUInt16BE(12) === 0x86dd)).to.equal(true);
    expect(findingsOf(frames)).to.deep.equal([]);
  });

  it('judges the headers of frames that were captured in part, and nothing behind them', () => {
    const cut = healthy.map(({ bytes, ...rest }) => ({ ...rest, bytes: bytes.subarray(0, 96), length: bytes.length }));
    expect(findingsOf(cut)).to.deep.equal([]);
    const isFirst = ({ bytes, length }: (typeof cut)[number]): boolean =>
      length > 200 && bytes[transportOf(bytes)] === BTH_OP.sendFirst;
    const at = cut.findLastIndex(isFirst);
    const wrong = { ...(cut[at] as Captured), bytes: Buffer.from((cut[at] as Captured).bytes) };
    wrong.bytes[42] = BTH_OP.sendMiddle;
    expect(findingsOf([...cut.slice(0, at), wrong, ...cut.slice(at + 1)])).to.include(`${at + 1} WIRE_SEQUENCE`);
  });

  it('finds nothing where a capture begins or ends in the middle of connections', () => {
    for (const share of [0.2, 0.5, 0.8]) {
      const at = Math.floor(share * faulty.length);
      expect(findingsOf(faulty.slice(at)), `from ${at} on`).to.deep.equal([]);
      expect(findingsOf(faulty.slice(0, at)), `up to ${at}`).to.deep.equal([]);
    }
  });

  it('holds no sender for what was lost before a frame was captured', () => {
    // What is sent again on reliable connections is seen; answers and unreliable packets are not.
    const isOnlyOnce = ({ bytes }: Captured): boolean =>
      (bytes[transportOf(bytes)] as number) >= BTH_OP.readResponseFirst;
    const some = healthy.filter((frame, i) => i % 7 !== 3 || !isOnlyOnce(frame));
    expect(findingsOf(some)).to.not.deep.equal([]);
    expect(findingsOf(some.map((frame) => ({ ...frame, direction: 1 })))).to.deep.equal([]);
  });

  describe('names the frame of', () => {
    it('a wrong invariant CRC', () => {
      const at = firstOf([BTH_OP.writeMiddle, BTH_OP.sendMiddle, BTH_OP.writeLast]);
      const frame = healthy[at] as Captured;
      const bytes = Buffer.from(frame.bytes);
      bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 1;
      expect(findingsOf(withFrame(at, { ...frame, bytes }))[0]).to.equal(`${at + 1} WIRE_ICRC`);
    });

    it('a PSN that comes behind one that was never sent', () => {
      const at = firstOf([BTH_OP.sendLast, BTH_OP.writeLast]);
      const { bytes } = healthy[at] as Captured;
      const isNext = (frame: Captured): boolean =>
        frame.bytes.subarray(26, 34).equals(bytes.subarray(26, 34)) &&
        frame.bytes.readUIntBE(47, 3) === bytes.readUIntBE(47, 3) &&
        frame.bytes.readUIntBE(51, 3) === bytes.readUIntBE(51, 3) + 1;
      const next = healthy.findIndex((frame, i) => i > at && isNext(frame));
      expect(findingsOf(withFrame(at))[0]).to.equal(`${next} WIRE_PSN`);
    });

    it('an opcode that does not follow', () => {
      const at = firstOf([BTH_OP.writeMiddle, BTH_OP.writeLast]);
      const change = (bytes: Buffer, bth: number): void => {
        bytes[bth] = bytes[bth] === BTH_OP.writeMiddle ? BTH_OP.sendMiddle : BTH_OP.sendLast;
      };
      expect(findingsOf(withFrame(at, changed(healthy[at] as Captured, change)))[0]).to.equal(
        `${at + 1} WIRE_SEQUENCE`,
      );
    });

    it('a wrong pad count', () => {
      const at = firstOf([BTH_OP.writeLast, BTH_OP.sendLast, BTH_OP.sendOnly, BTH_OP.writeOnly]);
      const change = (bytes: Buffer, bth: number): void => {
        bytes[bth + 1] = (bytes[bth + 1] as number) ^ 0x10;
      };
      expect(findingsOf(withFrame(at, changed(healthy[at] as Captured, change)))[0]).to.equal(`${at + 1} WIRE_PAD`);
    });

    it('an acknowledgement of what was not sent', () => {
      const at = healthy.findLastIndex(({ bytes }) => bytes[transportOf(bytes)] === BTH_OP.acknowledge);
      const change = (bytes: Buffer, bth: number): void => {
        bytes.writeUIntBE((bytes.readUIntBE(bth + 9, 3) + 40) & 0xffffff, bth + 9, 3);
      };
      expect(findingsOf(withFrame(at, changed(healthy[at] as Captured, change)))[0]).to.equal(`${at + 1} WIRE_ACK_PSN`);
    });

    it('a message number that goes backwards', () => {
      const at = healthy.findLastIndex(({ bytes }) => bytes[transportOf(bytes)] === BTH_OP.acknowledge);
      const change = (bytes: Buffer, bth: number): void => void bytes.writeUIntBE(1, bth + 13, 3);
      expect(findingsOf(withFrame(at, changed(healthy[at] as Captured, change)))).to.include(`${at + 1} WIRE_MSN`);
    });

    it('a NAK that asks again for what was acknowledged', () => {
      const at = healthy.findLastIndex(({ bytes }) => bytes[transportOf(bytes)] === BTH_OP.acknowledge);
      const frame = healthy[at] as Captured;
      const nak = changed(frame, (bytes, bth) => void bytes.writeUInt8(0x60, bth + 12));
      expect(findingsOf(withFrame(at, frame, nak))).to.include(`${at + 2} WIRE_NAK`);
    });

    it('a packet that is sent again with another payload', () => {
      const at = firstOf([BTH_OP.writeLast, BTH_OP.sendLast]);
      const change = (bytes: Buffer, bth: number): void =>
        void bytes.writeUInt8((bytes[bth + 12] as number) ^ 255, bth + 12);
      const again = changed(healthy[at] as Captured, change);
      expect(findingsOf(withFrame(at, healthy[at] as Captured, again))[0]).to.equal(`${at + 2} WIRE_RETRY`);
    });
  });

  it('takes the frames of other implementations, and lets RoCE version 1 alone', () => {
    const vectors = JSON.parse(readFileSync(new URL('../vectors/frames.json', import.meta.url), 'utf8')) as {
      hex: string;
    }[];
    const frames = vectors.map(({ hex }, i) => ({ bytes: Buffer.from(hex, 'hex'), ns: 1000 * i }));
    const result = judged(captureOf(frames, NG));
    if (typeof result === 'string') throw new Error(result);
    const { counts, findings } = result.judge;
    expect(findings.kept).to.deep.equal([]);
    expect([counts.frames, counts.packets, counts.notifications]).to.deep.equal([5, 4, 2]);
  });

  it('says where a capture is cut off or lies about its lengths, with exit code 2', async () => {
    const file = captureOf(healthy.slice(0, 6), NG);
    const classic = captureOf(healthy.slice(0, 6), FORMATS.find(({ ng }) => !ng) as (typeof FORMATS)[number]);
    const changedAt = (bytes: Buffer, at: number, value: number): Buffer => {
      const copy = Buffer.from(bytes);
      copy.writeUInt32LE(value >>> 0, at);
      return copy;
    };
    const wrong: [Buffer, RegExp][] = [
      [Buffer.alloc(0), /too short for a capture/],
      [Buffer.from('no capture at all'), /which neither pcap nor pcapng does/],
      [Buffer.from([0x1f, 0x8b, 8, 0, 0]), /compressed/],
      [file.subarray(0, file.length - 7), /behind frame 5: block of .* is cut off/],
      [changedAt(file, 4, 0xffff_fff0), /section header/],
      [changedAt(file, file.length - 4, 44), /block length .* at its beginning and 44 at its end/],
      [changedAt(file, 28 + 4, 6), /block length 6/],
      [changedAt(classic, 24 + 8, 0x7fff_ffff), /captured length 2147483647/],
      [changedAt(classic, 20, 147), /link type 147; only 1 \(Ethernet\)/],
      [classic.subarray(0, classic.length - 1), /packet is cut off/],
    ];
    for (const [bytes, message] of wrong) {
      const path = join(folder, 'wrong.pcap');
      writeFileSync(path, bytes);
      const [out, err] = [new CapturedOutput(), new CapturedOutput()];
      expect(await hcaRegress(['check-pcap', path], { out, err }), err.text).to.equal(2);
      expect(err.text).to.match(message);
    }
  });

  it('ends with 0 or 2 whatever bytes of a capture are cut off or changed', () => {
    for (const format of FORMATS.filter(({ nanoseconds }) => nanoseconds)) {
      const file = captureOf(healthy.slice(0, 3), format);
      for (let length = 0; length < file.length; length += 97) judged(file.subarray(0, length));
      for (let at = 0; at < file.length; at += 83) {
        const copy = Buffer.from(file);
        copy[at] = (copy[at] as number) ^ 0xff;
        judged(copy);
      }
    }
  });

  it('names rules that cannot be held, and switches off those that --off names', async () => {
    const at = firstOf([BTH_OP.writeLast, BTH_OP.sendLast, BTH_OP.sendOnly, BTH_OP.writeOnly]);
    const change = (bytes: Buffer, bth: number): void =>
      void bytes.writeUInt8((bytes[bth + 1] as number) ^ 0x10, bth + 1);
    const path = join(folder, 'off.pcap');
    writeFileSync(
      path,
      captureOf(withFrame(at, changed(healthy[at] as Captured, change)), FORMATS[4] as (typeof FORMATS)[number]),
    );
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    expect(await hcaRegress(['check-pcap', path], { out, err }), err.text).to.equal(1);
    expect(out.text)
      .to.include(`frame ${at + 1}, `)
      .and.include('off: WIRE_PSN, ')
      .and.include('CAPTURE FAILED: 1 finding');
    expect(await hcaRegress(['check-pcap', path, '--off', 'WIRE_PAD'], { out, err })).to.equal(0);
    expect(await hcaRegress(['check-pcap', path, '--off', 'WIRE_PADD'], { out, err })).to.equal(2);
    expect(err.text).to.include('did you mean WIRE_PAD?');
  });
});

/** Each frame once, and those that no NIC has sent as if one had. */
function asIfSent(frames: readonly Captured[]): Captured[] {
  const sent = new Set(frames.filter(({ direction }) => direction === SENT).map(({ bytes }) => bytes.toString('hex')));
  const once = frames.filter(({ direction, bytes }) => direction === SENT || !sent.has(bytes.toString('hex')));
  return once.map((frame) => ({ ...frame, direction: SENT }));
}

/** CRC-32 of Ethernet. */
function crc32(bytes: Buffer): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
