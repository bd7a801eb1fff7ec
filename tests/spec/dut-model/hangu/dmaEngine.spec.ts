import { expect } from 'chai';
import fc from 'fast-check';
import { DmaEngine } from '../../../../dut-model/roce/dmaEngine.ts';
import { CPL_STATUS, TLP_KIND, Tlp, BLOCK_BYTES } from '../../../../dut-model/nic.ts';
import type { PcieUpstream } from '../../../../dut-model/nic.ts';
import { BlockPool } from '../../../../uvm/bytes/blockPool.ts';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';

const bytes = ByteStore.create();

function make(
  maxPayload: number,
  maxReadRequest: number,
  tags: number,
  timeout = 0,
): { dma: DmaEngine; sent: Tlp[]; blocks: BlockPool; scheduler: Scheduler } {
  const sent: Tlp[] = [];
  const port: PcieUpstream = {
    settings: { maxPayload, maxReadRequest, readCompletionBoundary: 64, tags },
    acquire: () => new Tlp(),
    send: (t) => void sent.push(t),
    complete: () => {},
  };
  const blocks = new BlockPool(bytes, BLOCK_BYTES);
  const scheduler = new Scheduler();
  const dma = new DmaEngine(scheduler, bytes, blocks, 1024, timeout);
  dma.connect(port);
  return { dma, sent, blocks, scheduler };
}

const size = fc.constantFrom(128, 256, 512, 1024, 2048, 4096);

describe('DmaEngine', () => {
  it('cuts reads so that they cover every byte once, cross no 4 KiB boundary and keep to the size limit', () => {
    fc.assert(
      fc.property(size, fc.integer({ min: 0, max: 20000 }), fc.integer({ min: 1, max: 20000 }), (limit, lo, n) => {
        const { dma, sent } = make(4096, limit, 1024);
        dma.read(7, lo, n, 100_000, { dmaDone: () => {} });
        let at = lo;
        for (const t of sent) {
          expect([t.kind, t.hi, t.lo, t.data - 100_000]).to.deep.equal([TLP_KIND.memRead, 7, at, at - lo]);
          expect(t.length).to.be.within(1, limit);
          expect(Math.floor(t.lo / 4096)).to.equal(Math.floor((t.lo + t.length - 1) / 4096));
          at += t.length;
        }
        expect(at).to.equal(lo + n);
      }),
    );
  });

  it('never has more reads out than tags, gives each a tag of its own, and reports the request once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.infiniteStream(fc.nat()), (tags, picks) => {
        const { dma, sent } = make(4096, 128, tags);
        let done = 0;
        for (let i = 0; i < 5; i++) dma.read(0, i * 8192, 1000, 0, { dmaDone: () => void done++ });
        const out: Tlp[] = [];
        let seen = 0;
        for (;;) {
          while (seen < sent.length) out.push(sent[seen++] as Tlp);
          expect(new Set(out.map((t) => t.tag)).size).to.equal(out.length);
          expect(out.length).to.be.at.most(tags);
          if (out.length === 0) break;
          const [t] = out.splice((picks.next().value as number) % out.length, 1) as [Tlp];
          t.remaining = 0;
          dma.completion(t);
        }
        return done === 5 && dma.idle;
      }),
    );
  });

  it('tells its client when any part was answered with an error', () => {
    const { dma, sent } = make(4096, 256, 16);
    let result: boolean | null = null;
    dma.read(0, 0, 512, 0, {
      dmaDone: (_arg, ok) => {
        result = ok;
      },
    });
    (sent[0] as Tlp).status = CPL_STATUS.completerAbort;
    dma.completion(sent[0] as Tlp);
    expect(result).to.equal(null);
    dma.completion(sent[1] as Tlp);
    expect(result).to.equal(false);
  });

  it('ends a read with poisoned data once, with its last part', () => {
    const { dma, sent } = make(4096, 512, 16);
    const results: boolean[] = [];
    dma.read(0, 0, 512, 0, { dmaDone: (_arg, ok) => void results.push(ok) });
    const t = sent[0] as Tlp;
    t.poisoned = true;
    t.remaining = 256;
    dma.completion(t);
    expect(results).to.deep.equal([]);
    t.remaining = 0;
    dma.completion(t);
    expect(results).to.deep.equal([false]);
    expect(dma.idle).to.equal(true);
  });

  it('gives up each read when its time-out has expired, also where others were sent before and answered', () => {
    const { dma, sent, scheduler } = make(4096, 512, 16, 4000);
    const ended: [arg: number, ok: boolean, at: number][] = [];
    const client = { dmaDone: (arg: number, ok: boolean) => void ended.push([arg, ok, scheduler.now]) };
    for (let i = 0; i < 3; i++) scheduler.schedule(1000 * i, { fire: () => dma.read(0, i * 4096, 512, 0, client, i) });
    scheduler.schedule(500, { fire: () => dma.completion(Object.assign(sent[0] as Tlp, { remaining: 0 })) });
    scheduler.run();
    expect(ended).to.deep.equal([
      [0, true, 500],
      [1, false, 5000],
      [2, false, 6000],
    ]);
  });

  it('keeps a block until every packet of its write has been released', () => {
    const { dma, sent, blocks } = make(256, 4096, 16);
    const block = dma.acquireBlock();
    dma.write(0, 100, 600, dma.blockOffset(block), block);
    dma.releaseBlock(block);
    expect(sent.map((t) => t.length)).to.deep.equal([156, 256, 188]);
    for (const t of sent) {
      expect(blocks.inUse).to.equal(1);
      blocks.release(t.block);
    }
    expect(blocks.inUse).to.equal(0);
  });

  it('lets copies share blocks, which live until the last of their writes has been released', () => {
    const { dma, sent, blocks } = make(256, 4096, 16);
    const source = bytes.alloc(256);
    for (let i = 0; i < 100; i++) {
      bytes.u8.fill(i, source, source + 100);
      dma.writeCopy(0, 256 * i, 100, source);
    }
    expect(blocks.inUse).to.equal(3);
    for (const [i, t] of sent.entries()) {
      expect(bytes.u8.subarray(t.data, t.data + t.length).every((x) => x === i)).to.equal(true);
      blocks.release(t.block);
    }
    expect(blocks.inUse, 'the block that the next copy goes into').to.equal(1);
    dma.endCopies();
    expect(blocks.inUse).to.equal(0);
  });

  it('throws away what is answered after a reset, and frees its tag only then', () => {
    const { dma, sent } = make(4096, 512, 3);
    const buffer = bytes.alloc(512);
    const heard: string[] = [];
    const client = (name: string) => ({ dmaDone: (arg: number) => void heard.push(`${name}${arg}`) });
    for (let i = 0; i < 5; i++) dma.read(0, i * 4096, 512, buffer, client('old'), i);
    dma.completion(Object.assign(sent[0] as Tlp, { remaining: 0 }));
    dma.reset();
    expect(heard).to.deep.equal(['old0']);
    for (let i = 0; i < 2; i++) dma.read(0, i * 4096, 512, buffer, client('new'), i);
    expect(sent.length, 'no tag is free, and what waited is never sent').to.equal(4);
    const late = sent.slice(1, 4) as Tlp[];
    expect(late.every((t) => t.data !== buffer)).to.equal(true);
    for (const t of late) dma.completion(Object.assign(t, { remaining: 0 }));
    expect(sent.slice(4).map((t) => [t.lo, t.data])).to.deep.equal([
      [0, buffer],
      [4096, buffer],
    ]);
    for (const t of sent.slice(4)) dma.completion(Object.assign(t, { remaining: 0 }));
    expect(heard).to.deep.equal(['old0', 'new0', 'new1']);
    expect(dma.idle).to.equal(true);
  });

  it('lets a client wait for the reads asked for so far, sent or not, and for no later one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 1, max: 600 }), { maxLength: 6 }),
        fc.infiniteStream(fc.nat()),
        (tags, lengths, picks) => {
          const { dma, sent } = make(4096, 128, tags);
          let before = 0;
          let after = 0;
          let fenced = -1;
          for (const n of lengths) dma.read(0, 0, n, 0, { dmaDone: () => void before++ });
          dma.fence({ dmaDone: () => (fenced = before) });
          expect(fenced).to.equal(lengths.length === 0 ? 0 : -1);
          for (let i = 0; i < 3; i++) dma.read(0, 4096, 64, 0, { dmaDone: () => void after++ });
          const out: Tlp[] = [];
          let seen = 0;
          for (;;) {
            while (seen < sent.length) out.push(sent[seen++] as Tlp);
            if (out.length === 0) break;
            const [t] = out.splice((picks.next().value as number) % out.length, 1) as [Tlp];
            t.status = CPL_STATUS.success;
            t.remaining = 0;
            dma.completion(t);
          }
          expect([before, after, fenced]).to.deep.equal([lengths.length, 3, lengths.length]);
        },
      ),
    );
  });
});
