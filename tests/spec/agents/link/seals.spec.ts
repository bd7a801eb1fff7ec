import { expect } from 'chai';
import fc from 'fast-check';
import { LinkAgent } from '../../../../agents/link/linkAgent.ts';
import { WireMonitor } from '../../../../agents/wire/wireMonitor.ts';
import { BLOCK_BYTES, type Frame } from '../../../../dut-model/nic.ts';
import { BlockPool } from '../../../../uvm/bytes/blockPool.ts';
import { Run } from '../../../../uvm/run.ts';
import { FakeNic } from '../support/fakeNic.ts';
import { roceFrame } from '../support/roceFrame.ts';

const WRITE_MIDDLE = 7;

/** Two hosts on a link, with or without somebody who decodes what they send. */
class Bench {
  readonly run = new Run({ seed: 1, testName: 'spec' });
  readonly link: LinkAgent;
  /** Whether each frame that arrived at host 1 was sealed. */
  readonly sealed: boolean[] = [];

  constructor(monitored: boolean) {
    const { run, sealed } = this;
    this.link = new LinkAgent('link', run, { hosts: 2, blocks: new BlockPool(run.bytes, BLOCK_BYTES) });
    class Nic extends FakeNic {
      override receive(frame: Frame): void {
        sealed.push(frame.sealed);
        super.receive(frame);
      }
    }
    for (const host of [0, 1]) this.link.attach(host, new Nic(run.scheduler, run.bytes), 0x0200, host);
    if (monitored) this.link.frames.connect(new WireMonitor('monitor', run));
  }

  send(bytes: readonly number[]): this {
    const port = this.link.port(0);
    const frame = port.acquire();
    this.run.bytes.u8.set(bytes, frame.data);
    frame.length = bytes.length;
    port.send(frame);
    return this;
  }

  get digest(): string {
    this.run.scheduler.run();
    return this.run.transcript.digest();
  }
}

const packet = fc.record({
  opcode: fc.constantFrom(WRITE_MIDDLE, 4, 0x11),
  payload: fc.oneof(fc.nat(300), fc.constantFrom(188, 189, 1024, 4096)),
  ipv6: fc.boolean(),
  psn: fc.nat(2 ** 24 - 1),
});
/** Frames as NICs send them, and those with a byte changed, bytes behind their end, or nothing of RoCE in them. */
const frame = fc
  .tuple(packet, fc.constantFrom('right', 'right', 'flipped', 'longer', 'other'), fc.nat())
  .map(([fields, what, at]) => {
    const bytes = roceFrame({ to: 1, ...fields });
    if (what === 'longer') return [...bytes, 1, 2, 3, 4];
    const i = what === 'other' ? 12 : at % bytes.length;
    return what === 'right' ? bytes : bytes.with(i, (bytes[i] as number) ^ 0x40);
  });

describe('the transcript of frames', () => {
  it('is the same whether somebody decodes them or not', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), (frames) => {
        const [without, watched] = [new Bench(false), new Bench(true)];
        for (const bytes of frames) {
          without.send(bytes);
          watched.send(bytes);
        }
        expect(watched.digest).to.equal(without.digest);
      }),
    );
  });

  it('depends on every byte of a long frame, whether its ICRC fits or not, and on what lies behind its end', () => {
    const bytes = roceFrame({ to: 1, opcode: WRITE_MIDDLE, payload: 1024 });
    const digestOf = (sent: readonly number[]): string => new Bench(false).send(sent).digest;
    const seen = new Set([digestOf(bytes)]);
    for (let i = 0; i < bytes.length; i += 7) seen.add(digestOf(bytes.with(i, (bytes[i] as number) ^ 1)));
    for (let shift = 1; shift < 40; shift++)
      seen.add(digestOf(roceFrame({ to: 1, opcode: WRITE_MIDDLE, payload: 1024, shift })));
    for (const behind of [[0], [1], [1, 1]]) seen.add(digestOf([...bytes, ...behind]));
    expect(seen.size).to.equal(1 + Math.ceil(bytes.length / 7) + 39 + 3);
  });
});

describe('the seal of a frame', () => {
  const bytes = roceFrame({ to: 1, opcode: WRITE_MIDDLE, payload: 1024 });

  it('says that its ICRC was right, not where it was wrong or did not reach to the end', () => {
    for (const monitored of [false, true]) {
      const b = new Bench(monitored);
      b.send(bytes)
        .send(bytes.with(500, (bytes[500] as number) ^ 1))
        .send([...bytes, 0]);
      expect(b.digest).to.have.length(32);
      expect(b.sealed, `monitored: ${monitored}`).to.deep.equal([true, false, false]);
    }
  });

  it('stays on a repeated frame, and is lost by one that a fault has changed, even if to the same bytes', () => {
    const b = new Bench(true);
    let n = 0;
    b.link.faults = {
      judge: (_item, verdict) => {
        if (n === 0) verdict.duplicates = 1;
        else verdict.edit = { edit: (_bytes, _data, length) => length };
        n++;
      },
    };
    b.send(bytes).send(bytes).send(bytes);
    expect(b.digest).to.have.length(32);
    expect(b.sealed).to.deep.equal([true, true, false, false]);
  });
});
