import { expect } from 'chai';
import fc from 'fast-check';
import { delay } from '../../../../uvm/kernel/process.ts';
import { AnalysisFifo } from '../../../../uvm/tlm/analysisFifo.ts';
import { AnalysisPort } from '../../../../uvm/tlm/analysisPort.ts';
import { GetPeekPort, GetPort, PeekPort, PutPort, TransportPort } from '../../../../uvm/tlm/ports.ts';
import { ReqRspChannel } from '../../../../uvm/tlm/reqRspChannel.ts';
import { TlmFifo } from '../../../../uvm/tlm/tlmFifo.ts';
import { fixture, Plain, runWithObjection } from '../base/runFixture.ts';

describe('TlmFifo (1800.2 12.2.9)', () => {
  it('joins a put port to a get port, blocking both sides at its capacity', () => {
    const f = fixture();
    const top = new Plain('top', f.run);
    const fifo = new TlmFifo<number>('fifo', top, 2);
    const put = new PutPort<number>('put', top);
    const get = new GetPort<number>('get', top);
    put.connect(fifo);
    get.connect(fifo);
    const seen: string[] = [];
    const result = runWithObjection(f, function* () {
      f.run.processes.spawn(
        'producer',
        (function* () {
          for (let i = 0; i < 4; i++) {
            yield* put.put(i);
            seen.push(`put ${i} @${f.run.scheduler.now}`);
          }
        })(),
      );
      yield* delay(100);
      for (let i = 0; i < 4; i++) seen.push(`got ${yield* get.get()}`);
    });
    expect(result.passed).to.equal(true);
    expect(seen.filter((s) => s.startsWith('got'))).to.deep.equal(['got 0', 'got 1', 'got 2', 'got 3']);
    expect(seen.filter((s) => s.startsWith('put'))).to.deep.equal(['put 0 @0', 'put 1 @0', 'put 2 @100', 'put 3 @100']);
  });

  it('offers the non-blocking calls', () => {
    const { run } = fixture();
    const top = new Plain('top', run);
    const fifo = new TlmFifo<number>('fifo', top);
    const port = new GetPeekPort<number>('gp', top);
    const peek = new PeekPort<number>('pk', top);
    port.connect(fifo);
    peek.connect(fifo);
    expect([fifo.canGet(), port.tryGet(), fifo.tryPut(1), fifo.tryPut(2)]).to.deep.equal([
      false,
      undefined,
      true,
      false,
    ]);
    expect([fifo.isFull, fifo.canPut(), peek.tryPeek(), port.tryPeek(), fifo.used]).to.deep.equal([
      true,
      false,
      1,
      1,
      1,
    ]);
    expect([peek.canPeek(), port.tryGet(), fifo.isEmpty]).to.deep.equal([true, 1, true]);
  });

  it('peeks without taking, waiting for an item', () => {
    const f = fixture();
    const fifo = new TlmFifo<number>('fifo', new Plain('top', f.run), 0);
    const got: number[] = [];
    runWithObjection(f, function* () {
      f.run.scheduler.schedule(50, { fire: () => void fifo.tryPut(9) });
      got.push(yield* fifo.peek(), yield* fifo.get());
    });
    expect(got).to.deep.equal([9, 9]);
  });

  it('publishes what is put and what is taken', () => {
    const { run } = fixture();
    const fifo = new TlmFifo<number>('fifo', new Plain('top', run));
    const seen: string[] = [];
    fifo.putAp.connect((n) => seen.push(`put ${n}`));
    fifo.getAp.connect((n) => seen.push(`get ${n}`));
    fifo.tryPut(3);
    fifo.tryGet();
    expect(seen).to.deep.equal(['put 3', 'get 3']);
  });

  it('throws away its items on flush', () => {
    const { run } = fixture();
    const fifo = new TlmFifo<number>('fifo', new Plain('top', run), 0);
    for (let i = 0; i < 5; i++) fifo.tryPut(i);
    fifo.flush();
    expect(fifo.isEmpty).to.equal(true);
  });

  it('keeps the order of any mix of puts and gets', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 80 }), fc.integer({ min: 0, max: 5 }), (steps, capacity) => {
        const fifo = new TlmFifo<number>('fifo', new Plain('top', fixture().run), capacity);
        const model: number[] = [];
        let next = 1;
        for (const put of steps) {
          if (!put) expect(fifo.tryGet()).to.equal(model.shift());
          else if (fifo.tryPut(next)) model.push(next++);
          else expect(model.length).to.equal(capacity);
          expect(fifo.used).to.equal(model.length);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('AnalysisFifo (1800.2 12.2.9)', () => {
  it('keeps any number of items written to it', () => {
    const { run } = fixture();
    const fifo = new AnalysisFifo<number>('fifo', new Plain('top', run));
    const port = new AnalysisPort<number>();
    port.connect(fifo);
    for (let i = 0; i < 1000; i++) port.write(i);
    expect([fifo.used, fifo.tryGet(), fifo.tryGet()]).to.deep.equal([1000, 0, 1]);
  });
});

describe('ReqRspChannel (1800.2 12.2.9)', () => {
  it('carries a request to the server and its answer back', () => {
    const f = fixture();
    const top = new Plain('top', f.run);
    const channel = new ReqRspChannel<number, string>('channel', top);
    const port = new TransportPort<number, string>('port', top);
    port.connect(channel);
    const answers: string[] = [];
    runWithObjection(f, function* () {
      f.run.processes.spawn(
        'server',
        (function* () {
          for (;;) {
            const n = yield* channel.requests.get();
            yield* delay(10);
            yield* channel.responses.put(`answer ${n}`);
          }
        })(),
      );
      answers.push(yield* port.transport(1), yield* port.transport(2));
      expect(port.nbTransport(3)).to.equal(undefined);
    });
    expect(answers).to.deep.equal(['answer 1', 'answer 2']);
    expect(f.run.scheduler.now).to.equal(20);
  });
});
