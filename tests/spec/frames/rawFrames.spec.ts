/** Raw packet queue pairs: frames of software, on each kind of NIC that has them, and in captures. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { isRoceFrame } from '../../../agents/wire/roceFrame.ts';
import { main } from '../../../bin/hcaTest.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { play } from '../tests/harness.ts';

const RC = '+RC_QP_NUM=1 +UC_QP_NUM=0 +UD_QP_NUM=0';
const SEQUENCE = `+UVM_TEST_SEQ=raw_frames +SEQ_COUNT=3 ${RC}`;
/** An IPv4 or IPv6 header with UDP ports behind it. */
const ROCE_PORT = [0x12, 0xb7];

/** What `raw_frames` does not: what the host API refuses, and a frame that comes back as it was sent. */
class RawCalls extends UserSequence {
  static readonly typeName: string = 'raw_calls';
  static readonly description: string = 'calls of raw packet queue pairs';
  static readonly refusals: string[] = [];
  static received: Uint8Array = new Uint8Array(0);

  override *body(): Proc<void> {
    const [first] = this.connections;
    if (first === undefined) return;
    const left = yield* this.openRaw(first.left, 1514);
    const right = yield* this.openRaw(first.right, 1514);
    yield* this.#refused(() => this.openRaw(first.left, 100));
    const roce = Uint8Array.from({ length: 60 }, () => 0);
    roce.set([0x08, 0x00, 0x45], 12);
    roce[23] = 17;
    roce.set(ROCE_PORT, 36);
    yield* this.#refused(() => left.send(roce));
    const { macHigh, macLow } = right.address;
    const frame = Uint8Array.from({ length: 100 }, (_, i) => i);
    new DataView(frame.buffer).setUint16(0, macHigh);
    new DataView(frame.buffer).setInt32(2, macLow);
    yield* right.receive();
    yield* left.send(frame);
    this.expectSuccess(yield* left.sent(), 'frame');
    RawCalls.received = (yield* right.received()).bytes;
    expect([...RawCalls.received]).to.deep.equal([...frame]);
    for (const side of [left, right]) yield* side.close();
  }

  *#refused(call: () => Proc<unknown>): Proc<void> {
    try {
      yield* call();
    } catch (error) {
      if (!(error instanceof HostApiError)) throw error;
      RawCalls.refusals.push(error.kind);
    }
  }
}

describe('raw packet queue pairs', function () {
  this.timeout(60_000);
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'raw-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function captured(...more: string[]): Promise<string> {
    const out = new CapturedOutput();
    const argv = ['+UVM_TESTNAME=test_sequence', ...more, '--pcap', '--quiet', '--out', folder];
    expect(await main(argv, { registry: await loadRegistry(), out, err: out, env: {} }), out.text).to.equal(0);
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('wire.pcap'));
    return join(folder, file as string);
  }

  it('carry frames of any length and protocol both ways, beside messages, on every kind that has them', async () => {
    for (const dut of ['hangu', 'blue']) {
      const run = await play('test_sequence', `${SEQUENCE} +DUT=${dut}`);
      expect(run.verdict, run.log).to.equal('passed');
    }
  });

  it('are judged without being changed: a run is the same without its judge', async () => {
    const [judged, unjudged] = [
      await play('test_sequence', SEQUENCE),
      await play('test_sequence', `${SEQUENCE} +CHECKS=0`),
    ];
    expect(unjudged.transcript).to.deep.equal(judged.transcript);
  });

  it('may lose what the link loses, repeats or damages, and nothing else', async () => {
    const run = await play('test_sequence', [
      ...SEQUENCE.split(' '),
      '+NET_FAULT=drop every=7; duplicate every=5; corrupt every=9',
      '+ACK_TIMEOUT=5',
    ]);
    expect(run.verdict, run.log).to.equal('passed');
  });

  it('are one a port, send no RoCEv2, and give back a frame as it was sent', async () => {
    RawCalls.refusals.length = 0;
    const run = await play('test_sequence', `+UVM_TEST_SEQ=raw_calls ${RC}`, 1, ({ factory }) =>
      factory.register(RawCalls.typeName, RawCalls),
    );
    expect(run.verdict, run.log).to.equal('passed');
    expect(RawCalls.refusals).to.deep.equal(['IN_USE', 'UNSUPPORTED']);
    expect(RawCalls.received).to.have.lengthOf(100);
  });

  it('have their frames dissected by tshark, each with a comment that software has built it', async function () {
    if (spawnSync('tshark', ['--version']).status !== 0) {
      console.log('      skipped: tshark is not installed');
      this.skip();
    }
    const file = await captured(...SEQUENCE.split(' '));
    const fields = ['-T', 'fields', '-e', 'frame.comment', '-e', 'frame.protocols'];
    const { stdout } = spawnSync('tshark', ['-n', '-r', file, ...fields], { encoding: 'utf8' });
    const rows = stdout.split('\n').filter((row) => row !== '');
    const raw = rows.filter((row) => row.startsWith('raw: software has built this frame\t'));
    expect(raw.length).to.be.at.least(48);
    for (const protocol of ['arp', 'ip:', 'ipv6', 'lldp'])
      expect(
        raw.filter((row) => row.includes(protocol)),
        protocol,
      ).to.not.have.lengthOf(0);
    for (const row of rows.filter((each) => !raw.includes(each))) expect(row).to.match(/^\teth:.*infiniband/);
  });

  it('stand apart from injected packets, which a capture has as inbound where they arrive', async () => {
    const file = await captured('+UVM_TEST_SEQ=dropped_packets', '+SEQ_COUNT=1', '+RC_QP_NUM=2');
    const { stdout } = spawnSync(process.execPath, ['-e', COUNT_COMMENTS, file], { encoding: 'utf8' });
    expect(Number(stdout)).to.be.greaterThan(0);
  });
});

/** Counts the comments of injected packets in a file. */
const COUNT_COMMENTS =
  "process.stdout.write(String(require('fs').readFileSync(process.argv[1], 'latin1').split('injected: no NIC has sent this packet').length - 1))";

describe('a frame of RoCEv2', () => {
  /** Ethernet, a tag or none, IPv4 with options or IPv6, and UDP. */
  const frames = fc.record({
    tagged: fc.boolean(),
    v6: fc.boolean(),
    options: fc.integer({ min: 0, max: 10 }),
    protocol: fc.constantFrom(17, 17, 6, 1),
    port: fc.constantFrom(4791, 4791, 4790, 53),
    offset: fc.constantFrom(0, 0, 0, 5),
    cut: fc.integer({ min: 0, max: 60 }),
  });

  it('is one for UDP port 4791 as a whole, whatever stands in front of that', () => {
    fc.assert(
      fc.property(frames, ({ tagged, v6, options, protocol, port, offset, cut }) => {
        const network = 14 + (tagged ? 4 : 0);
        const udp = network + (v6 ? 40 : 20 + 4 * options);
        const bytes = new Uint8Array(udp + 8);
        const view = new DataView(bytes.buffer);
        if (tagged) view.setUint16(12, 0x8100);
        view.setUint16(network - 2, v6 ? 0x86dd : 0x0800);
        if (v6) bytes[network + 6] = protocol;
        else {
          bytes[network] = 0x45 + options;
          view.setUint16(network + 6, offset);
          bytes[network + 9] = protocol;
        }
        view.setUint16(udp + 2, port);
        const length = Math.max(0, bytes.length - cut);
        const isIt = protocol === 17 && port === 4791 && (v6 || offset === 0) && length >= udp + 4;
        expect(isRoceFrame(bytes, 0, length)).to.equal(isIt);
      }),
    );
  });
});
